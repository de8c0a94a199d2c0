// Runs command lines of a published program one after the other. Most commands take less time than
// starting a process. Reads one line of JSON for each from standard input, and writes one.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

interface CommandLine {
  words: string[];
  env: Record<string, string>;
}

const [, , main = ''] = process.argv;
const answer = process.stdout.write.bind(process.stdout);
let out = '';
let err = '';
Object.assign(process.stdout, { write: (text: string) => Boolean((out += text)) });
Object.assign(process.stderr, { write: (text: string) => Boolean((err += text)) });

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { words, env } = JSON.parse(line) as CommandLine;
  process.argv.splice(2, Infinity, ...words);
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  count += 1;
  // A module runs once per URL.
  await import(`${pathToFileURL(main).href}?${count}`);
  answer(`${JSON.stringify({ code: process.exitCode ?? 0, out, err })}\n`);
  process.exitCode = undefined;
  out = '';
  err = '';
}
