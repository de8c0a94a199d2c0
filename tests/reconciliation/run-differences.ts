import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparableFacts } from './facts-file.ts';
import { type Run, running } from './killed-run.ts';

/** Unique names of the history's consumers, and the common domain of their addresses. */
export const consumers = ['@example.com', 'Quayle', 'Duarte', 'Jansen', 'Brandt'];

/** Returns the files in the data folder that contain consumer data. */
export function leaksIn({ folder, process }: Run): string[] {
  const leaks: string[] = [];
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    let bytes: Buffer;
    try {
      bytes = readFileSync(join(file.parentPath, file.name));
    } catch {
      // The file was removed in the meantime.
      continue;
    }
    if (consumers.some((text) => bytes.includes(text))) leaks.push(file.name);
  }
  if (process?.lines.some((line) => consumers.some((text) => line.includes(text)))) {
    leaks.push('the log');
  }
  return leaks;
}

/**
 * Fields of exported rows that differ between runs: times of judging and of work, generated ids.
 */
const ofOneRun =
  /^(?:id|case|caseId|asOf|computedAt|changedAt|openedAt|dueAt|updatedAt|number|revision)$/;

/** Returns the differences between the data of two runs; empty if there are none. */
export async function differencesOf(calm: Run, stormy: Run): Promise<string[]> {
  const differences: string[] = [];
  const compare = (what: string, one: readonly string[], other: readonly string[]) => {
    const missing = one.filter((line) => !other.includes(line));
    const added = other.filter((line) => !one.includes(line));
    if (one.length === other.length && missing.length + added.length === 0) return;
    differences.push(
      `${what}: ${one.length} and ${other.length}; only undisturbed: ${missing.slice(0, 3).join(' ')}; only disturbed: ${added.slice(0, 3).join(' ')}`,
    );
  };
  for (const table of ['orders', 'exceptions', 'lines', 'cases'] as const) {
    const [one = [], other = []] = await Promise.all(
      [calm, stormy].map(async (run) =>
        (await running(run).rows(table))
          .map((row) => JSON.stringify(row, (key, value: unknown) => maskedFor(table, key, value)))
          .sort(),
      ),
    );
    if (one.length === 0) differences.push(`${table}: none at all`);
    compare(table, one, other);
  }
  for (const path of ['/walk', '/discounts', '/radar', '/summary']) {
    const [one = '', other = ''] = await Promise.all(
      [calm, stormy].map(async (run) =>
        JSON.stringify(await running(run).get(path), (key, value: unknown) =>
          ofOneRun.test(key) ? undefined : value,
        ),
      ),
    );
    compare(path, [one], [other]);
  }
  const [one, other] = [await comparableFacts(calm.facts), await comparableFacts(stormy.facts)];
  for (const [what, lines] of Object.entries(one)) {
    compare(`facts, ${what}`, lines, other[what] ?? []);
    // In the first round no lender has changed anything.
    const isEmpty = lines.length === 0 && (what !== 'superseded' || calm.round > 0);
    if (isEmpty) differences.push(`facts, ${what}: none at all`);
  }
  return differences;
}

/** The id of a line comes from the service or the ledger; that of a case is generated. */
function maskedFor(table: string, key: string, value: unknown): unknown {
  if (key === 'id' && table === 'lines') return value;
  if (key === 'updatedAt' && table === 'lines') return value;
  return ofOneRun.test(key) ? undefined : value;
}
