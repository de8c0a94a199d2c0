import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { serve } from './command.fixture.ts';

// No container can be built where these tests run: they hold what of its file can be held.
const root = join(import.meta.dirname, '..', '..');
const lines = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replaceAll('\\\n', '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const last = (instruction: string) =>
  lines.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ?? '';
const words = (text: string) =>
  z.array(z.string()).parse(JSON.parse(text.slice(text.indexOf('['))));

function exitCode([program = '', ...args]: string[]): Promise<number> {
  const command = program === 'node' ? process.execPath : program;
  return new Promise((resolve) => {
    execFile(command, args, (error) => resolve(typeof error?.code === 'number' ? error.code : 0));
  });
}

test('it does not run as root, and starts the published command without npm in between', () => {
  expect(last('USER')).toBe('node');
  const published = z
    .object({ bin: z.object({ 'financing-companion': z.string() }) })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const path = join('/companion', published.bin['financing-companion']);
  expect(words(last('ENTRYPOINT'))).toEqual(['node', path]);
  expect(words(last('CMD'))).toEqual(['serve']);
  expect(existsSync(join(root, 'src', 'node', 'main.ts'))).toBe(true);
});

test('no secret is an argument or a variable of the image, and none is copied into it', () => {
  const text = lines.join('\n');
  expect(text).not.toMatch(/^ARG /m);
  expect(text).not.toMatch(/^ENV .*(?:KEY|SECRET|TOKEN)/m);
  const ignored = readFileSync(join(root, 'Dockerfile.dockerignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['**/.data', '**/.git', '**/.env*']));
});

test('its health check asks the readiness of a companion', async () => {
  const check = words(last('HEALTHCHECK'));
  expect(check.join(' ')).toContain('http://127.0.0.1:4001/readyz');
  const { start } = await serve((_, response) => response.end());
  const { backOffice } = await start();
  const at = (address: string) =>
    check.map((word) => word.replace('http://127.0.0.1:4001', address));
  expect(await exitCode(at(backOffice))).toBe(0);
  expect(await exitCode(at('http://127.0.0.1:1'))).toBe(1);
});
