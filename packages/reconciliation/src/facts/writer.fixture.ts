// A process that writes facts, so that tests can kill or pause it: one day per line of input, and
// endlessly after the line "on". Prints each fact's number.
import { createInterface } from 'node:readline';
import { openFacts } from './open.ts';
import type { FundingDay } from './store.ts';

const [, , url = '', holder = ''] = process.argv;
const facts = await openFacts(url);
const now = Date.now();
const fence = await facts.takeLease(holder, undefined, now, now + 60_000);
if (fence === undefined) throw new Error('The lease is held.');
process.stdout.write('ready\n');

for await (const line of createInterface({ input: process.stdin })) {
  try {
    do await write();
    while (line === 'on');
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.name : 'unknown'}\n`);
  }
}

async function write(): Promise<void> {
  if (fence === undefined) return;
  const last = await facts.head();
  const day: Omit<FundingDay, 'number'> = {
    day: new Date(last * 86_400_000).toISOString().slice(0, 10),
    state: 'complete',
    reason: undefined,
    zone: 'UTC',
    syncId: 'sync-1',
    passes: 2,
    pages: 2,
    overlaps: 0,
    count: 200,
    changed: 200,
    gone: 0,
    digest: 'a'.repeat(32),
    provenAt: now,
  };
  process.stdout.write(
    `${await facts.writeDay(fence, day, { content: Buffer.from(`${last} `.repeat(200)) })}\n`,
  );
}
