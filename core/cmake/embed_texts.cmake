# cmake -D FILES=... -D OUTPUT=... -P embed_texts.cmake
# Writes OUTPUT, to be included between the braces of an array: a pair {name, text} for each file, whose
# name is that of the file without its folder.
set(pairs "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND pairs "{\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${pairs}")
