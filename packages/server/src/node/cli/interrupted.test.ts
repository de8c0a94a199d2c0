import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../command.fixture.ts';

/** What listens sends the beginning of an export, and then nothing. */
async function beginning(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/csv' }).write('order,amount\r\nA-1,');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s in the middle of an export ends it, leaves the file of before, and no part',
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), 'interrupted-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'orders.csv');
    writeFileSync(file, 'order\r\n');
    const { child, output } = run(['reconcile', 'export', 'orders', '--output', file], {
      COMPANION_BACK_OFFICE_URL: await beginning(),
    });
    const ended = once(child, 'exit');
    await expect.poll(() => readdirSync(folder), { timeout: 10_000 }).toHaveLength(2);
    child.kill(signal);
    expect([await ended, output.text]).toEqual([[null, signal], '']);
    expect(readdirSync(folder)).toEqual(['orders.csv']);
    expect(readFileSync(file, 'utf8')).toBe('order\r\n');
  },
);
