// Runs returning.cpp alone, so that all of it can be built without exceptions.

int without_exceptions();

int main() { return without_exceptions(); }
