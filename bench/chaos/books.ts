import { DatabaseSync } from 'node:sqlite';
import type { Client } from './client.ts';
import type { Visit } from './plan.ts';
import type { CheckoutMessage } from './shop.ts';

/** A charge in the sandbox's database. Amounts are minor units. */
interface Charge {
  id: string;
  merchant_order_id: string;
  state: string;
  total: number;
  settled: number;
  refunded: number;
}

interface Entry {
  merchantOrderId: string;
  chargeId?: string;
  type: string;
  amount?: { value: number };
  merchantTransactionId: string;
  state: string;
}

/** Differences between the sandbox, the companion and the shop, one line for each order. */
export interface Verdict {
  lost: string[];
  doubled: string[];
  stuck: string[];
}

/**
 * Compares the sandbox's charges, the companion's ledger and checkouts, and the shop's orders, order by
 * order.
 */
export async function compareBooks(options: {
  visits: readonly Visit[];
  /** SQLite file with the sandbox's complete state. */
  sandboxState: string;
  office: Client;
  messages: ReadonlyMap<string, CheckoutMessage>;
}): Promise<Verdict> {
  const { visits, office } = options;
  const verdict: Verdict = { lost: [], doubled: [], stuck: [] };
  const charges = Map.groupBy(readCharges(options.sandboxState), (row) => row.merchant_order_id);
  const ledger = Map.groupBy(await readLedger(office), (entry) => entry.merchantOrderId);
  const messages = Map.groupBy(options.messages.values(), ({ merchantOrderId }) => merchantOrderId);
  for (const order of new Set([...charges.keys(), ...ledger.keys(), ...messages.keys()])) {
    if (!visits.some(({ merchantOrderId }) => merchantOrderId === order)) {
      verdict.lost.push(`${order}: nobody ordered it`);
    }
  }
  for (const visit of visits) {
    const order = visit.merchantOrderId;
    const { body } = await office.until('GET', `/checkouts?merchantOrderId=${order}`);
    judge(visit, verdict, {
      charges: charges.get(order) ?? [],
      ledger: ledger.get(order) ?? [],
      messages: messages.get(order) ?? [],
      checkouts: body.checkouts as CheckoutMessage[],
    });
  }
  return verdict;
}

/** Records of one order on each side. */
export interface Books {
  charges: Charge[];
  ledger: Entry[];
  messages: CheckoutMessage[];
  checkouts: (CheckoutMessage & { retrySafe?: boolean })[];
}

/** Adds the differences of one order to the verdict. */
export function judge(visit: Visit, verdict: Verdict, books: Books): void {
  const { merchantOrderId: order, total, refund } = visit;
  const say = (kind: keyof Verdict, what: string) => verdict[kind].push(`${order}: ${what}`);
  const live = books.charges.filter(({ state }) => state !== 'Voided');
  const [charge, ...more] = live;
  const accepted = (type: string) =>
    lastOfEach(books.ledger).filter((entry) => entry.type === type && entry.state === 'accepted');
  const approved = books.messages.filter(({ status }) => status === 'approved');

  if (more.length > 0) say('doubled', `${live.length} charges at the service`);
  if (approved.length > 1) say('doubled', `the shop received ${approved.length} payments`);
  if (charge && (charge.settled > total || charge.refunded > refund)) {
    say('doubled', `settled ${charge.settled} of ${total}, refunded ${charge.refunded}`);
  }
  for (const type of ['Authorize', 'Settle', 'Refund']) {
    if (accepted(type).length > 1) say('doubled', `${type} is twice in the ledger`);
  }

  if (charge && (charge.settled < total || charge.refunded < refund)) {
    say('lost', `settled ${charge.settled} of ${total}, refunded ${charge.refunded} of ${refund}`);
  }
  const [message] = approved;
  if (charge?.id !== message?.chargeId) {
    say('lost', `charge ${charge?.id ?? 'none'}, the shop knows ${message?.chargeId ?? 'none'}`);
  }
  if (message && message.amount.value !== total) say('lost', 'the shop received another amount');
  if (!charge && !visit.leaves) say('lost', 'no charge, though the shopper stayed until the end');
  const wanted = charge
    ? { Authorize: total, Settle: total, ...(refund > 0 ? { Refund: refund } : {}) }
    : {};
  for (const type of ['Authorize', 'Settle', 'Refund'] as const) {
    const [entry] = accepted(type);
    const amount: number | undefined = (wanted as Record<string, number>)[type];
    if (entry?.amount?.value !== amount || (entry && entry.chargeId !== charge?.id)) {
      say(
        'lost',
        `the ledger has ${type} ${entry?.amount?.value ?? 'none'}, not ${amount ?? 'none'}`,
      );
    }
  }

  for (const entry of lastOfEach(books.ledger)) {
    if (entry.state === 'unknown') say('stuck', `${entry.type} unknown in the ledger`);
  }
  for (const { checkoutId, revision, status, retrySafe } of books.checkouts) {
    const unknown = status === 'unavailable' && retrySafe !== true;
    if (unknown || status === 'confirming' || status === 'pending') {
      say('stuck', `${checkoutId} is ${status}`);
    }
    const known = books.messages.find((candidate) => candidate.checkoutId === checkoutId);
    if (known ? known.revision !== revision && known.status !== status : status !== 'open') {
      say('stuck', `the shop has not messages that ${checkoutId} is ${status}`);
    }
  }
}

/** Keeps the last of several entries with the same transaction id and type. */
function lastOfEach(entries: readonly Entry[]): Entry[] {
  return [
    ...new Map(
      entries.map((entry) => [`${entry.merchantTransactionId} ${entry.type}`, entry]),
    ).values(),
  ];
}

function readCharges(file: string): Charge[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare('select id, merchant_order_id, state, total, settled, refunded from charges')
      .all()
      .map((row) => ({
        id: String(row.id),
        merchant_order_id: String(row.merchant_order_id),
        state: String(row.state),
        total: Number(row.total),
        settled: Number(row.settled),
        refunded: Number(row.refunded),
      }));
  } finally {
    database.close();
  }
}

async function readLedger(office: Client): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const { status, body } = await office.until('GET', `/ledger?limit=1000&after=${after}`);
    if (status !== 200) throw new Error(`The ledger answered ${status}.`);
    entries.push(...(body.entries as Entry[]));
    after = body.next as number | undefined;
  }
  return entries;
}
