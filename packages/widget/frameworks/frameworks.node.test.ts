/* Compiles correct and wrong uses of the element against the types of each framework. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { analyze, elementsOf } from '../metadata/manifest.ts';

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

/** Line numbers of compiler errors, by file. */
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

/** Returns the members of each type that a file exports, with their types. */
function typesOf(file: string): Map<string, { name: string; type: string }[]> {
  const { options: converted } = ts.convertCompilerOptionsFromJson(options, path(''));
  const program = ts.createProgram([path(file)], converted);
  const source = program.getSourceFile(path(file));
  const checker = program.getTypeChecker();
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} exports nothing.`);
  return new Map(
    checker.getExportsOfModule(module).map((exported) => [
      exported.name,
      checker
        .getDeclaredTypeOfSymbol(exported)
        .getProperties()
        .map((member) => ({
          name: member.name,
          type: checker.typeToString(checker.getTypeOfSymbol(member)),
        })),
    ]),
  );
}

/** A command-line type checker for components. */
interface Checker {
  readonly command: string;
  /** Returns its arguments, given the folder with the configuration. */
  readonly args: (folder: string) => readonly string[];
  /** Matches an error in the output; captures the file and the line. */
  readonly error: RegExp;
}

const checkers = {
  vue: {
    command: require.resolve('vue-tsc/bin/vue-tsc.js'),
    args: (folder) => ['--pretty', 'false', '-p', `${folder}/tsconfig.json`],
    error: /([^/\s]+)\((\d+),\d+\): error TS/,
  },
  svelte: {
    command: require.resolve('svelte-check/bin/svelte-check'),
    args: (folder) => ['--output', 'machine', '--tsconfig', `${folder}/tsconfig.json`],
    error: /^\d+ ERROR "([^"]+)" (\d+):/,
  },
} satisfies Record<string, Checker>;

/** Type-checks components with the checker of their framework. */
async function check(files: readonly string[], { command, args, error }: Checker): Promise<Errors> {
  const folder = mkdtempSync(path('.check-'));
  for (const file of files) copyFileSync(path(file), `${folder}/${file}`);
  // Without this file, svelte-check mistakes the widget's vite.config.ts for the Svelte
  // configuration.
  writeFileSync(`${folder}/svelte.config.js`, 'export default {};');
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({
      compilerOptions: options,
      vueCompilerOptions: { strictTemplates: true },
      files,
    }),
  );
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [command, ...args(folder)], (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  rmSync(folder, { recursive: true });
  const errors: Errors = Object.fromEntries(files.map((file) => [file, []]));
  for (const text of output.split('\n').filter((line) => /\berror\b/i.test(line))) {
    const [, file = text, line] = error.exec(text) ?? [];
    addError(errors, basename(file), Number(line));
  }
  return errors;
}

describe.each([
  { framework: 'react', good: 'react.good.tsx', bad: 'react.bad.tsx', by: 'react' },
  {
    framework: 'react components',
    good: 'components.good.tsx',
    bad: 'components.bad.tsx',
    by: 'react',
  },
  { framework: 'preact', good: 'preact.good.tsx', bad: 'preact.bad.tsx', by: 'preact' },
  { framework: 'solid', good: 'solid.good.tsx', bad: 'solid.bad.tsx', by: 'solid-js' },
  { framework: 'vue', good: 'good.vue', bad: 'bad.vue', by: checkers.vue },
  { framework: 'svelte', good: 'good.svelte', bad: 'bad.svelte', by: checkers.svelte },
])('$framework', ({ good, bad, by }) => {
  let errors: Errors;
  beforeAll(async () => {
    const files = [good, bad];
    errors = typeof by === 'string' ? compile(files, by) : await check(files, by);
  });

  it('accepts correct uses', () => expect(errors[good]).toEqual([]));

  it('rejects each wrong use', () => {
    expect(markedLines(bad)).toHaveLength(12);
    expect(errors[bad]).toEqual(markedLines(bad));
  });
});

describe('the types that the frameworks share', () => {
  const types = typesOf('../props.d.ts');
  const manifest = elementsOf(analyze());
  const members = (type: string) =>
    types
      .get(type)
      ?.map(({ name }) => name)
      .sort() ?? [];

  it.each([
    { name: 'FinancingCheckout', attributes: 'FinancingCheckoutAttributes' },
    { name: 'FinancingMessage', attributes: 'FinancingMessageAttributes' },
    { name: 'FinancingPrequalify', attributes: 'FinancingCheckoutAttributes' },
  ])('include every property, attribute and event of $name', ({ name, attributes }) => {
    const element = manifest.find((one) => one.name === name);
    const properties = (element?.members ?? []).flatMap((member) =>
      member.kind === 'field' && !member.static ? [member.name] : [],
    );
    expect(members(`${name}Properties`)).toEqual(properties.sort());
    const others = (element?.attributes ?? []).flatMap((attribute) =>
      properties.includes(attribute.name) ? [] : [attribute.name],
    );
    expect(members(attributes)).toEqual(others.sort());
    const events = (element?.events ?? []).map((event) => ({
      name: event.name,
      type: event.type?.text,
    }));
    expect(events.length).toBeGreaterThan(2);
    expect(types.get(`${name}Events`)).toHaveLength(events.length);
    expect(types.get(`${name}Events`)).toEqual(expect.arrayContaining(events));
  });
});
