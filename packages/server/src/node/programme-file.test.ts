import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LogLine } from '../companion.fixture.ts';
import { createCounters } from '../platform/counters.ts';
import { listedFields } from '../platform/logger.ts';
import { readProgrammeFile } from '../programmes/file.ts';
import { fileOf, programmeOf } from '../programmes/programmes.fixture.ts';
import { PublishedProgrammes } from '../programmes/published.ts';
import { publishProgrammeFile } from './programme-file.ts';

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'programmes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'programmes.json');
  const text = fileOf(programmeOf('first'));
  writeFileSync(path, text);
  const log: LogLine[] = [];
  const programmes = new PublishedProgrammes();
  const counters = createCounters();
  const stop = await publishProgrammeFile(
    { path, text, file: readProgrammeFile(text) },
    {
      programmes,
      counters,
      logger: {
        log: (level, event, fields = {}) =>
          void log.push({ level, event, ...listedFields(fields) }),
      },
      pollMs: 3_600_000,
      settleMs: 20,
    },
  );
  onTestFinished(stop);
  const body = async () => (await programmes.answer()).body;
  return { body, counters, folder, log, path, programmes, text };
}

test('publishes a file that is rewritten or replaced by a rename', async () => {
  const { body, folder, log, path } = await setUp();
  expect(await body()).toContain('"first"');
  writeFileSync(path, fileOf(programmeOf('second'), programmeOf('third')));
  await expect.poll(body).toContain('"third"');
  expect(log).toEqual([{ level: 'info', event: 'programmes-replaced', count: 2 }]);
  const next = join(folder, '.next');
  // Larger than the size limit of secret files.
  const many = Array.from({ length: 100 }, (_, index) => programmeOf(`programme-${index}`));
  writeFileSync(next, fileOf(...many));
  renameSync(next, path);
  await expect.poll(body).toContain('"programme-99"');
});

test('keeps the previous programmes while the file is invalid, and says why', async () => {
  const { body, counters, log, path, programmes, text } = await setUp();
  writeFileSync(path, fileOf(programmeOf('second', { apr: 'nine' })));
  await expect.poll(() => programmes.refusal).toMatch(/^programmes\.0\.apr must be a decimal/);
  expect(await body()).toContain('"first"');
  expect(counters.read('programmes-file-refused')).toBe(1);
  expect(log).toEqual([
    {
      level: 'warn',
      event: 'programmes-file-refused',
      detail: expect.stringMatching(/^programmes\.0\.apr must be a decimal/) as string,
    },
  ]);
  expect(JSON.stringify(log)).not.toContain('nine');
  writeFileSync(path, text);
  await expect.poll(() => programmes.refusal).toBeUndefined();
  expect(await body()).toContain('"first"');
});

test('keeps the previous programmes when the file is gone', async () => {
  const { body, path, programmes } = await setUp();
  unlinkSync(path);
  await expect.poll(() => programmes.refusal).toMatch(/^The file cannot be read/);
  expect(await body()).toContain('"first"');
});
