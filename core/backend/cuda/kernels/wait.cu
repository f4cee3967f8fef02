// Generated kernels and these begin alike: a graph launches a kernel before the kernel in front of it
// has ended (graph_chain.h).
__device__ void wait_for_predecessor() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
