import {
  type ChargeOperationKind,
  chargeOperationKinds,
  type UnclearOperation,
} from '@financing-checkout/contract/back-office';
import {
  type TrailComparison,
  type TrailDifference,
} from '@financing-checkout/contract/reconciliation';
import { z } from 'zod';
import type { TrailEvent, TrailFacts } from '../facts/trail.ts';
import { isoTime } from '@financing-checkout/kit';
import type { CompanionOperations } from './operations.ts';

const PAGE = 500;
/**
 * Maximum difference between the two clocks, and the longest time that a request waits for its
 * operation.
 */
export const SLACK_MS = 600_000;
/** Outcomes that do not say whether the companion has an operation for the entry. */
const unclear = new Set<string | undefined>([
  undefined,
  'unknown',
  'outcome-unknown',
  'failed',
  'internal',
  'store-unavailable',
  'idempotency-in-flight',
]);

const kind = z.enum(chargeOperationKinds);
const detailSchema = z.object({
  amount: z.number().optional(),
  currency: z.string().optional(),
  operation: z.string().optional(),
});
type Detail = z.infer<typeof detailSchema>;

/** A trail entry about a settle, refund or void. */
interface MoneyEntry extends Detail {
  kind: ChargeOperationKind;
  begun: TrailEvent;
  ended: TrailEvent | undefined;
}

/**
 * Compares the trail with the operations that the companion has recorded, in both directions.
 * Operations of other clients, such as the shop, have that client's token as their actor and are
 * not compared; neither are those of companions that did not yet record an actor.
 * @throws what {@link CompanionOperations} throws
 */
export async function compareTrail(
  facts: Pick<TrailFacts, 'trailHead' | 'trailEvents'>,
  operations: CompanionOperations,
): Promise<TrailComparison> {
  // An entry is written before its operation, and its outcome after it. Operations are therefore
  // read after the head and before the entries: every entry that ended before the head has its
  // operation among them, and each operation has an entry.
  const { seq: head } = await facts.trailHead();
  const own = await operations.own();
  const entries = await moneyEntries(facts);
  const known = new Map(own.map((operation) => [operation.id, operation]));
  const others = entries.flatMap(({ operation }) =>
    operation === undefined || known.has(operation) ? [] : [operation],
  );
  for (const operation of await operations.withIds([...new Set(others)].filter(isId))) {
    known.set(operation.id, operation);
  }

  const withoutOperation: TrailDifference[] = [];
  const named = new Set<string>();
  for (const entry of entries) {
    const operation = known.get(entry.operation ?? '');
    if (operation !== undefined && isOf(entry, operation)) named.add(operation.id);
    else if (entry.ended?.outcome === 'accepted' && entry.ended.seq <= head) {
      withoutOperation.push(ofEntry(entry));
    }
  }

  const open = new Set(
    entries.filter(
      ({ operation, ended }) => operation === undefined && unclear.has(ended?.outcome),
    ),
  );
  const withoutEntry: TrailDifference[] = [];
  for (const operation of own) {
    const { id, state } = operation;
    if (named.has(id) || state === 'rejected' || state === 'not-sent') continue;
    const entry = [...open].find((one) => isOf(one, operation) && isNear(one, operation));
    if (entry === undefined) withoutEntry.push(ofOperation(operation));
    else open.delete(entry);
  }
  return { operations: own.length, withoutEntry, withoutOperation };
}

const isId = (text: string) => /^opr_[\w-]{1,64}$/.test(text);

async function moneyEntries(facts: Pick<TrailFacts, 'trailEvents'>): Promise<MoneyEntry[]> {
  const entries = new Map<number, MoneyEntry>();
  for (let after = 0; ;) {
    const page = await facts.trailEvents({ kinds: chargeOperationKinds, after, limit: PAGE });
    for (const event of page) {
      after = event.seq;
      const parsed = kind.safeParse(event.kind);
      if (!parsed.success) continue;
      const detail = detailSchema.parse(JSON.parse(event.detail));
      const begun = event.begun === undefined ? undefined : entries.get(event.begun);
      if (begun !== undefined) Object.assign(begun, detail, { ended: event });
      else if (event.begun === undefined) {
        entries.set(event.seq, { ...detail, kind: parsed.data, begun: event, ended: undefined });
      }
    }
    if (page.length === 0) return [...entries.values()];
  }
}

/** Returns whether charge, kind and amount of an entry match an operation. */
function isOf(entry: MoneyEntry, { amount, chargeId, kind: own }: UnclearOperation): boolean {
  const isSame = entry.kind === own && entry.begun.subject === chargeId;
  return isSame && (entry.amount === undefined || entry.amount === amount?.value);
}

function isNear({ begun }: MoneyEntry, { createdAt }: UnclearOperation): boolean {
  return Math.abs(begun.at - Date.parse(createdAt)) <= SLACK_MS;
}

function ofOperation(operation: UnclearOperation): TrailDifference {
  const { amount, chargeId, createdAt, id, kind: own } = operation;
  const money = amount === undefined ? {} : { amount: amount.value, currency: amount.currency };
  return { kind: own, chargeId, operationId: id, ...money, at: createdAt };
}

function ofEntry({ amount, begun, currency, kind: own, operation }: MoneyEntry): TrailDifference {
  return {
    kind: own,
    chargeId: begun.subject,
    at: isoTime(begun.at),
    operationId: operation,
    amount,
    currency,
    seq: begun.seq,
    actor: begun.actor,
  };
}
