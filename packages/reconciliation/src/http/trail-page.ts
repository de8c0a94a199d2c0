import {
  type TrailEntry,
  trailEntrySchema,
  trailKinds,
} from '@financing-checkout/contract/reconciliation';
import { isoTime } from '@financing-checkout/kit';
import { z } from 'zod';
import type { Engine } from '../engine/engine.ts';
import type { CaseFact } from '../facts/case-facts.ts';
import type { TrailFilter, TrailRow } from '../facts/trail.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { ordersOfCharges } from '../queries/orders/order-lines.ts';
import { pageOf } from './cursor.ts';

/**
 * Returns a page of the trail, newest entry first, each with its order, and the number of the last
 * entry.
 */
export async function trailPage(
  engine: Engine,
  signal: AbortSignal,
  { after, limit, ...filter }: TrailFilter & { after: number; limit: number },
): Promise<{ entries: TrailEntry[]; next: number | undefined }> {
  const { page, last } = pageOf(await engine.facts.trail(after, limit + 1, filter), limit);
  const ids = page.flatMap(({ begun }) => (begun.number === undefined ? [] : [begun.subject]));
  const [cases, orders] = await Promise.all([
    ids.length === 0 ? [] : engine.facts.findCases({ ids: [...new Set(ids)], limit: ids.length }),
    ordersOfCharges(
      engine.data.context(signal),
      page.flatMap(({ begun }) => (begun.number === undefined ? [begun.subject] : [])),
    ),
  ]);
  const byId = new Map(cases.map((one) => [one.id, one]));
  const entries = page.map((row): TrailEntry => {
    const { subject } = row.begun;
    const one = byId.get(subject);
    return {
      ...trailEntry(row),
      ...(one === undefined ? orderOf(orders.get(subject)) : ofCase(one)),
    };
  });
  return { entries, next: last?.begun.seq };
}

const orderOf = (orderKey: string | undefined) =>
  orderKey === undefined ? {} : { orderKey, merchantOrderId: merchantOrderIdOf(orderKey) };

const ofCase = ({ code, currency, orderKey }: CaseFact) => ({
  code,
  currency,
  ...orderOf(orderKey),
});

const kinds = z.enum(trailKinds);
const { detail } = trailEntrySchema.shape;

/**
 * Returns an entry in the API's format. If an action was already over when recorded, its only event
 * has its outcome.
 * @throws for an event that this program did not write; verify the trail then
 */
function trailEntry({ begun, ended, numbers }: TrailRow): TrailEntry {
  const last = ended ?? begun;
  const end =
    last.outcome === undefined ? {} : { outcome: last.outcome, endedAt: isoTime(last.at) };
  return {
    seq: begun.seq,
    numbers,
    at: isoTime(begun.at),
    actor: begun.actor,
    person: begun.person,
    kind: kinds.parse(begun.kind),
    subject: begun.subject,
    detail: {
      ...detail.parse(JSON.parse(begun.detail)),
      ...detail.parse(JSON.parse(ended?.detail ?? '{}')),
    },
    ...end,
    hash: last.hash,
  };
}
