import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Analytics } from '../analytics/database.ts';
import { replay } from '../analytics/replay.ts';
import { TemporaryFiles } from '../platform/temporary-files.ts';
import { memoryFacts } from './facts.fixture.ts';
import { wireRecord } from './history.fixture.ts';
import { runSync } from './sync.ts';

// Processor time of a first sync, for each record: pages are ready in memory, the service costs nothing.
const days = Number(process.argv[2] ?? 80);
const perDay = Number(process.argv[3] ?? 2_500);
const from = Date.parse('2026-01-01');
const byDay = new Map<string, Uint8Array[]>();
for (let day = 0; day < days; day++) {
  const date = new Date(from + day * 86_400_000).toISOString();
  const records = Array.from({ length: perDay }, (_, index) =>
    wireRecord(day * perDay + index, date),
  );
  const pages: Uint8Array[] = [];
  for (let at = 0; ; at = at === 0 ? 995 : at + 995) {
    const page = records.slice(at, at + 1_000);
    pages.push(new TextEncoder().encode(JSON.stringify({ records: page })));
    if (page.length < 1_000) {
      pages.push(new TextEncoder().encode(JSON.stringify({ records: page.slice(-5) })));
      break;
    }
  }
  byDay.set(date.slice(0, 10), pages);
}
const folder = mkdtempSync(join(tmpdir(), 'sync-bench-'));
const facts = memoryFacts();
const files = await TemporaryFiles.open(join(folder, 'pages'));
const fill = async (inner: Parameters<typeof replay>[0]['database']) => {
  await replay({ database: inner, facts, files, defaultCurrency: 'USD' });
};
const file = join(folder, 'analytics.duckdb');
const open = () => Analytics.open({ file, facts, readable: [files.folder], fill });
const database = await open();
const time = async (name: string, work: () => Promise<unknown>) => {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  const each = (us: number) => (us / (days * perDay)).toFixed(1);
  const memory = Math.round(process.memoryUsage.rss() / 1e6);
  console.log(
    `${name}: ${each(user + system)} µs of processor a record (system: ${each(system)}), ${each((performance.now() - start) * 1e3)} µs of time, ${memory} MB`,
  );
};
const source = {
  page: ({ to, offset, limit }: { to: string; offset: number; limit: number }) => {
    const pages = byDay.get(to.slice(0, 10));
    const bytes =
      pages?.[offset === 0 ? 0 : Math.round(offset / (limit - 5))] ??
      new TextEncoder().encode('{}');
    return Promise.resolve({ kind: 'page' as const, bytes });
  },
};
const last = new Date(from + (days - 1) * 86_400_000).toISOString().slice(0, 10);
const fence = { holder: 'one', number: 1 };
const run = async (id: string) => {
  const done = await runSync(
    { facts, fence, database, source, files, settings: { defaultCurrency: 'USD' } },
    { id, from: '2026-01-01', to: last },
  );
  if (done.state !== 'complete' || done.records !== days * perDay)
    throw new Error(JSON.stringify(done));
};
await time('first sync', () => run('sync-1'));
await time('the same again', () => run('sync-2'));
await database.close();
rmSync(file);
await time('rebuild', async () => (await open()).close());
rmSync(folder, { recursive: true });
