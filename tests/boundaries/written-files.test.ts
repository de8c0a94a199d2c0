/* Files are written in one place of each side, and CSV by one module. */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './tree.ts';

const sources = globSync('packages/*/src/**/*.ts', { cwd: root }).filter(
  (file) => !/\.(?:test|fixture)\.ts$/.test(file),
);
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the linter', () => {
  let tree = '';
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'written-files-'));
    // Without types, because the planted files belong to no project.
    const rules = JSON.parse(read('.oxlintrc.json')) as object;
    const text = JSON.stringify({ ...rules, options: {} });
    writeFileSync(join(tree, '.oxlintrc.json'), text);
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  /** Lints a file with the rules of the repository. @returns the exit code and what is reported */
  function lint(path: string, code: string): [status: number | null, output: string] {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    writeFileSync(join(tree, path), code);
    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
    const { status, stdout } = spawnSync(process.execPath, [oxlint, path], {
      cwd: tree,
      encoding: 'utf8',
    });
    rmSync(join(tree, path));
    return [status, stdout];
  }

  const found = [1, expect.stringContaining('Files are written by kit/files')];

  test.each([
    "import { writeFile } from 'node:fs/promises';\nawait writeFile('x', '');\n",
    "import { writeFileSync as put } from 'node:fs';\nput('x', '');\n",
    "import { createWriteStream } from 'fs';\ncreateWriteStream('x');\n",
    "import { open } from 'node:fs/promises';\nawait open('x', 'w');\n",
    "import { appendFile } from 'fs/promises';\nawait appendFile('x', '');\n",
    "import { renameSync } from 'node:fs';\nrenameSync('x', 'y');\n",
    "import * as fs from 'node:fs';\nfs.writeFileSync('x', '');\n",
    "import fs from 'node:fs';\nfs.writeFileSync('x', '');\n",
    "import { promises } from 'node:fs';\nawait promises.writeFile('x', '');\n",
  ])('finds files that are written with %s', (code) => {
    expect(lint('packages/server/src/node/planted.ts', code)).toEqual(found);
  });

  test('control: lets files be read, and be written by tests and in the one place', () => {
    const reading = "import { readFileSync } from 'node:fs';\nreadFileSync('x');\n";
    const writing = "import { writeFileSync } from 'node:fs';\nwriteFileSync('x', '');\n";
    expect(lint('packages/server/src/planted.ts', reading)[0]).toBe(0);
    expect(lint('packages/server/src/planted.test.ts', writing)[0]).toBe(0);
    expect(lint('packages/kit/src/files/planted.ts', writing)[0]).toBe(0);
  });
});

test('no source gets the file system past the linter', () => {
  const hidden =
    /\b(?:import|require|getBuiltinModule)\(\s*['"`](?:node:)?fs\b|export .* from '(?:node:)?fs\b/;
  expect(sources.length).toBeGreaterThan(800);
  expect(sources.filter((file) => hidden.test(read(file)))).toEqual([]);
});

/** Quotation marks are doubled in other syntaxes as well, and in lines that only a database reads. */
const noCsvFile = [
  'packages/reconciliation/src/cli/import-options.ts',
  'packages/reconciliation/src/imports/read/workbook/sheet-row.ts',
  'packages/reconciliation/src/queries/exports/export-csv.ts',
  'packages/reconciliation/src/sync/page.ts',
];

test('one module writes CSV', () => {
  const doubling = sources.filter((file) =>
    /replace(?:All)?\(\s*(?:'"'|"\\""|\/"\/g?),\s*['"`]""['"`]\)/.test(read(file)),
  );
  expect(doubling.filter((file) => !noCsvFile.includes(file))).toEqual([
    'packages/contract/src/money/csv.ts',
  ]);
});
