"""The commands of `thallo` that are written in Python, a module each with main(arguments), which
returns the exit code. They run the program for all that it does (THALLO_PROGRAM says which one).
"""
