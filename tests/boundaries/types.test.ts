import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorsOf } from './compile.ts';
import { type PlantedTree, plantedTree } from './tree.ts';

/** Files that must not compile in a package, with the codes of their errors. */
const plants: Record<string, Record<string, { text: string; codes: RegExp }>> = {
  widget: {
    'relative.ts': {
      text: "export * from '../../server/src/planted-innocent.ts';",
      codes: /^TS(6059|6307)$/,
    },
    'bare.ts': { text: "import '@financing-checkout/server';", codes: /^TS(2307|2882)$/ },
    'process.ts': { text: 'export const key = process.env.KEY;', codes: /^TS(2580|2591)$/ },
    'buffer.ts': { text: "export const bytes = Buffer.from('');", codes: /^TS(2580|2591)$/ },
    'fs.ts': { text: "export { readFileSync } from 'node:fs';", codes: /^TS(2307|2591)$/ },
  },
  server: {
    'document.ts': { text: 'export const title = document.title;', codes: /^TS2584$/ },
    'window.ts': { text: 'export const origin = window.origin;', codes: /^TS2304$/ },
    'storage.ts': {
      text: 'export class E extends HTMLElement {}',
      codes: /^TS2304$/,
    },
    'widget.ts': {
      text: "export * from '../../widget/src/planted-innocent.ts';",
      codes: /^TS(6059|6307)$/,
    },
    'enum.ts': { text: 'export enum E { A }', codes: /^TS1294$/ },
    'parameter.ts': {
      text: 'export class C { constructor(readonly a: string) {} }',
      codes: /^TS1294$/,
    },
  },
  contract: {
    'process.ts': { text: 'export const key = process.env.KEY;', codes: /^TS(2580|2591)$/ },
    'crypto.ts': { text: "export { randomUUID } from 'node:crypto';", codes: /^TS(2307|2591)$/ },
    'document.ts': { text: 'export const title = document.title;', codes: /^TS2584$/ },
    'fetch.ts': { text: "export const answer = fetch('/');", codes: /^TS2304$/ },
  },
  sandbox: {
    'server.ts': {
      text: "export * from '../../server/src/planted-innocent.ts';",
      codes: /^TS(6059|6307)$/,
    },
    'contract.ts': {
      text: "export * from '@financing-checkout/contract/storefront';",
      codes: /^TS2307$/,
    },
    'document.ts': { text: 'export const title = document.title;', codes: /^TS2584$/ },
  },
  'key-fence': {
    'server.ts': {
      text: "export * from '../../server/src/planted-innocent.ts';",
      codes: /^TS(6059|6307)$/,
    },
    'document.ts': { text: 'export const title = document.title;', codes: /^TS2584$/ },
  },
};

/** A file that must compile in a package, which proves that the errors come from the planted files. */
const innocent: Record<string, string> = {
  widget: "import { html } from 'lit';\nexport const view = html`<p>${document.title}</p>`;",
  server:
    "import { randomUUID } from 'node:crypto';\nexport const id = randomUUID() + process.pid;",
  contract: "import { z } from 'zod';\nexport const schema = z.string();",
  sandbox: "import { Hono } from 'hono';\nexport const app = new Hono();",
  'key-fence': "import { join } from 'node:path';\nexport const path = join('a', process.cwd());",
};

const place = (name: string, file: string) => `packages/${name}/src/planted-${file}`;

/** Compiles the planted files of a package with its settings. */
async function compile(tree: PlantedTree, name: string): Promise<string> {
  const project = join(tree.path, 'packages', name, 'tsconfig.planted.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: './tsconfig.json',
      include: ['src/planted-*.ts'],
      compilerOptions: { noEmit: true, tsBuildInfoFile: null },
    }),
  );
  return errorsOf(project, tree.path);
}

describe('forbidden code does not compile in a package', () => {
  let tree: PlantedTree;
  const output: Record<string, string> = {};
  beforeAll(async () => {
    const files = Object.entries(plants).flatMap(([name, planted]) => [
      ...Object.entries(planted).map(([file, { text }]) => [place(name, file), text] as const),
      [place(name, 'innocent.ts'), innocent[name] ?? ''] as const,
    ]);
    tree = await plantedTree(Object.fromEntries(files));
    for (const name of Object.keys(plants)) output[name] = await compile(tree, name);
  });
  afterAll(() => tree.remove());

  const errors = (name: string, file: string) =>
    (output[name] ?? '')
      .split('\n')
      .filter((line) => line.startsWith(place(name, file)))
      .map((line) => /error (TS\d+)/.exec(line)?.[1] ?? line);

  describe.each(Object.entries(plants))('packages/%s', (name, planted) => {
    test.each(Object.entries(planted))('%s', (file, { codes }) => {
      const found = errors(name, file);
      expect(found).not.toEqual([]);
      for (const code of found) expect(code).toMatch(codes);
    });

    test('control: allowed code compiles', () => {
      expect(errors(name, 'innocent.ts')).toEqual([]);
      expect(innocent[name]).toMatch(/import|document/);
    });
  });
});
