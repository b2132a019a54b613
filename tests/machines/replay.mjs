// Runs replay.c as WebAssembly: replay.mjs FILE.
import { readFileSync, writeFileSync } from "node:fs";

const printed = [];
let memory;
const put = (text, size) => printed.push(Buffer.from(memory.buffer.slice(text, text + size)));
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), { env: { put } });
memory = instance.exports.memory;
process.exitCode = instance.exports.main();
writeFileSync(1, Buffer.concat(printed));
