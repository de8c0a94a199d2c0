import type { Gap, GapKind, SearchResult } from '@financing-checkout/contract/reconciliation';
import { meta } from '../analytics/database.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Engine } from '../engine/engine.ts';
import { type QueryContext, reliabilityOf } from '../queries/basis/reliability.ts';

type Counts = Partial<Record<GapKind, number>>;

/** Returns what an answer does not include: gaps of all data, and those of the answer itself. */
export async function gapsOf(engine: Engine, ctx: QueryContext, own: Counts): Promise<Gap[]> {
  const { quarantined, unprovenDays } = await reliabilityOf(ctx);
  const applied = await ctx.database.read((connection) => meta(connection, metaKeys.applied));
  const behind = (await engine.facts.head()) - Number(applied ?? 0);
  const counts = { 'unproven-days': unprovenDays, quarantined, behind, ...own };
  return Object.entries(counts).flatMap(([gap, count]) =>
    count > 0 ? [{ gap: gap as GapKind, count }] : [],
  );
}

/** Returns the gaps of a search. @param imports number of imports that it has read, and the limit */
export function gapsOfSearch(
  { groups, unavailable, unsearched }: SearchResult,
  imports: { read: number; limit: number },
): Counts {
  const full = groups.find(({ more }) => more);
  return {
    companion: unavailable.length,
    fragments: unsearched.length,
    matches: full?.count ?? 0,
    imports: imports.read < imports.limit ? 0 : imports.limit,
  };
}
