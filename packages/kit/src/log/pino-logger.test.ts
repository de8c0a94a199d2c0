import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPinoLogger, logDestination } from './pino-logger.ts';

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'log');
}

/** Creates a logger that writes to a file on a disk that can be made full. */
function setUp() {
  const file = temporaryFile();
  const disk = { isFull: false };
  const write = fs.writeSync;
  const full = vi.spyOn(fs, 'writeSync').mockImplementation(((...parameters: never[]) => {
    if (disk.isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    return (write as (...all: never[]) => number)(...parameters);
  }) as typeof fs.writeSync);
  onTestFinished(() => full.mockRestore());
  const logger = createPinoLogger({ fields: {}, destination: logDestination(file) });
  const events = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event);
  return { logger, disk, events };
}

test('a full log disk does not stop the process, and logging resumes when there is space', () => {
  const { logger, disk, events } = setUp();
  logger.log('info', 'before');
  disk.isFull = true;
  logger.log('info', 'first');
  logger.log('info', 'second');
  expect(events()).toEqual(['before']);
  disk.isFull = false;
  logger.log('info', 'after');
  expect(events()).toEqual(['before', 'first', 'second', 'after']);
});

test('limits the buffered lines and keeps the oldest', () => {
  const { logger, disk, events } = setUp();
  disk.isFull = true;
  const log = (line: number) => logger.log('info', `${line} ${'x'.repeat(1_000)}`);
  for (let line = 0; line < 2_000; line++) log(line);
  disk.isFull = false;
  // The first line afterward flushes the buffer and may itself be dropped.
  log(2_000);
  log(2_001);
  const kept = events();
  expect(kept.length).toBeGreaterThan(900);
  expect(kept.length).toBeLessThan(1_050);
  expect(kept[0]).toMatch(/^0 /);
  expect(kept.at(-1)).toMatch(/^2001 /);
});

test('loses no line when a program crashes under a process manager that replaces stdout.write', async () => {
  const file = temporaryFile();
  const fixture = new URL('process-manager.fixture.ts', import.meta.url).pathname;
  const program = spawn(process.execPath, [fixture, file]);
  let written = '';
  program.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const [code] = (await once(program, 'close')) as [number];
  const counts = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { count: number }).count);
  expect({ code, written, counts }).toEqual({
    code: 70,
    written: '',
    counts: Array.from({ length: 1_000 }, (_, count) => count),
  });
});
