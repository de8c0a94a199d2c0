/* Compiles correct and wrong uses of the element against the types of each framework. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const path = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

const options = {
  jsx: 'preserve',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'preserve',
  moduleResolution: 'bundler',
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  target: 'es2024',
  types: [],
};

/** Returns the lines of a file that are marked as wrong. */
const markedLines = (file: string) =>
  readFileSync(path(file), 'utf8')
    .split('\n')
    .flatMap((line, index) => (/\/\/ wrong$|<!-- wrong -->$/.test(line) ? [index + 1] : []));

/** The lines with a compiler error, by file. */
type Errors = Record<string, number[]>;

function addError(errors: Errors, file: string, line: number): void {
  const lines = errors[file];
  if (!lines) throw new Error(`An error in ${file}, line ${line}, which is not a fixture.`);
  if (!lines.includes(line)) lines.push(line);
}

/** Compiles files with TypeScript. */
function compile(files: readonly string[], jsxImportSource: string): Errors {
  const { options: converted, errors: wrongOptions } = ts.convertCompilerOptionsFromJson(
    { ...options, jsx: 'react-jsx', jsxImportSource },
    path(''),
  );
  expect(wrongOptions).toEqual([]);
  const program = ts.createProgram(files.map(path), converted);
  const errors: Errors = Object.fromEntries(files.map((file) => [file, []]));
  for (const { file, start = 0, messageText } of ts.getPreEmitDiagnostics(program)) {
    if (!file) throw new Error(ts.flattenDiagnosticMessageText(messageText, ' '));
    const { line } = file.getLineAndCharacterOfPosition(start);
    addError(errors, basename(file.fileName), line + 1);
  }
  return errors;
}

/** Compiles files with vue-tsc. */
async function compileVue(files: readonly string[]): Promise<Errors> {
  const folder = mkdtempSync(path('.vue-'));
  const config = `${folder}/tsconfig.json`;
  writeFileSync(
    config,
    JSON.stringify({
      compilerOptions: options,
      vueCompilerOptions: { strictTemplates: true },
      files: files.map(path),
    }),
  );
  const command = [require.resolve('vue-tsc/bin/vue-tsc.js'), '-p', config, '--pretty', 'false'];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, command, (_, stdout, stderr) => resolve(stdout + stderr));
  });
  rmSync(folder, { recursive: true });
  const errors: Errors = Object.fromEntries(files.map((file) => [file, []]));
  for (const text of output.split('\n').filter((line) => line.includes('error TS'))) {
    const [, file = text, line] = /([^/\s]+\.vue)\((\d+),\d+\): error TS/.exec(text) ?? [];
    addError(errors, file, Number(line));
  }
  return errors;
}

describe.each([
  { framework: 'react', good: 'react.good.tsx', bad: 'react.bad.tsx', source: 'react' },
  {
    framework: 'react components',
    good: 'components.good.tsx',
    bad: 'components.bad.tsx',
    source: 'react',
  },
  { framework: 'preact', good: 'preact.good.tsx', bad: 'preact.bad.tsx', source: 'preact' },
  { framework: 'solid', good: 'solid.good.tsx', bad: 'solid.bad.tsx', source: 'solid-js' },
  { framework: 'vue', good: 'good.vue', bad: 'bad.vue', source: undefined },
])('$framework', ({ good, bad, source }) => {
  let errors: Errors;
  beforeAll(async () => {
    const files = [good, bad];
    errors = source === undefined ? await compileVue(files) : compile(files, source);
  });

  it('accepts correct uses', () => expect(errors[good]).toEqual([]));

  it('rejects each wrong use', () => {
    expect(markedLines(bad)).toHaveLength(12);
    expect(errors[bad]).toEqual(markedLines(bad));
  });
});
