import { z } from 'zod';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import type { FactStore } from '../facts/store.ts';
import type { SealFact } from '../facts/period-facts.ts';
import { sqlText, type TemporaryFiles } from '../platform/temporary-files.ts';

/** The part of a seal's body that the analytics database needs. */
const placeSchema = z.object({
  period: z.object({ fromAt: z.number(), untilAt: z.number() }),
  facts: z.object({ head: z.number() }),
});

/**
 * Applies a seal, or its reopening, inside a replay's transaction.
 * @throws {ContentError} if its flows are damaged
 */
export async function applySeal(
  connection: DuckDBConnection,
  seal: SealFact,
  { facts, files }: { facts: Pick<FactStore, 'sealFlows'>; files: TemporaryFiles },
): Promise<void> {
  const { seq, period, body, reopened } = seal;
  await connection.run(`delete from seals where seq = ${seq}`);
  await connection.run(`delete from sealed_flows where seq = ${seq}`);
  if (reopened !== undefined) return;
  const place = placeSchema.parse(JSON.parse(body));
  await connection.run('insert into seals values ($1, $2, $3, $4, $5)', [
    seq,
    period,
    place.facts.head,
    place.period.fromAt,
    place.period.untilAt,
  ]);
  const content = await facts.sealFlows(seq);
  await files.with([{ name: 'seal', content, ending: '.parquet' }], async ([path = '']) => {
    await connection.run(
      `insert into sealed_flows by name select ${seq} as seq, * from read_parquet(${sqlText(path)})`,
    );
  });
}
