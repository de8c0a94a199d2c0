/* Types for frameworks: a good usage compiles against the framework's own types, a bad one does not. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

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

/** Lines of a file that say of themselves that they are wrong. */
const wrong = (file: string) =>
  readFileSync(path(file), 'utf8')
    .split('\n')
    .flatMap((line, index) => (/\/\/ wrong$|<!-- wrong -->$/.test(line) ? [index + 1] : []));

/** Lines that the compiler finds wrong. */
function refused(file: string, jsxImportSource: string): number[] {
  const { options: converted, errors } = ts.convertCompilerOptionsFromJson(
    { ...options, jsx: 'react-jsx', jsxImportSource },
    path(''),
  );
  expect(errors).toEqual([]);
  const program = ts.createProgram([path(file)], converted);
  const lines = ts
    .getPreEmitDiagnostics(program)
    .map(({ file: source, start = 0, messageText }) => {
      if (source?.fileName !== path(file)) {
        throw new Error(`Elsewhere: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
      }
      return source.getLineAndCharacterOfPosition(start).line + 1;
    });
  return [...new Set(lines)];
}

describe.each([
  ['react', 'react'],
  ['preact', 'preact'],
  ['solid', 'solid-js'],
])('%s', (name, source) => {
  it('takes what is right', () => expect(refused(`${name}.good.tsx`, source)).toEqual([]));

  it('refuses each line that is wrong', () => {
    expect(wrong(`${name}.bad.tsx`)).toHaveLength(8);
    expect(refused(`${name}.bad.tsx`, source)).toEqual(wrong(`${name}.bad.tsx`));
  });
});

describe('vue', () => {
  /** Lines that vue-tsc finds wrong. */
  async function refusedByVue(file: string): Promise<number[]> {
    const folder = mkdtempSync(path('.vue-'));
    const config = `${folder}/tsconfig.json`;
    const vueCompilerOptions = { strictTemplates: true };
    writeFileSync(
      config,
      JSON.stringify({ compilerOptions: options, vueCompilerOptions, files: [path(file)] }),
    );
    const command = [require.resolve('vue-tsc/bin/vue-tsc.js'), '-p', config, '--pretty', 'false'];
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, command, (_, stdout, stderr) => resolve(stdout + stderr));
    });
    rmSync(folder, { recursive: true });
    const lines = output.split('\n').filter((line) => line.includes('error TS'));
    return [
      ...new Set(
        lines.map((line) => {
          const found = /\.vue\((\d+),\d+\): error TS/.exec(line)?.[1];
          if (!found) throw new Error(`Elsewhere: ${line}`);
          return Number(found);
        }),
      ),
    ];
  }

  it('takes what is right', async () => expect(await refusedByVue('good.vue')).toEqual([]));

  it('refuses each line that is wrong', async () => {
    expect(wrong('bad.vue')).toHaveLength(8);
    expect(await refusedByVue('bad.vue')).toEqual(wrong('bad.vue'));
  });
});
