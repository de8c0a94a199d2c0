import {
  chargeBack,
  noSums,
  refund,
  reverse,
  settle,
  voidCharge,
  type Charge,
  type ChargeBalance,
  type Refusal,
  type Transaction,
  type TransactionType,
} from '../charges/charge.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import { discountBetween } from '../lenders/terms.ts';
import { fundingDate, lenders, type Lender } from '../lenders/lenders.ts';
import type { MismatchKind } from './mismatch.ts';
import type { Random } from './random.ts';

const DAY = 86_400_000;

/** The lenders of seeded orders. Leases are left out: these orders have no tax to exclude. */
export const creditors = lenders.filter(({ offer }) => offer.productType !== 'LeaseToOwn');

/** The environment and the period of a history. Times are in milliseconds since 1970. */
export interface Scene {
  environment: EnvironmentName;
  /** Part of each order number, so that two histories share no order. */
  seed: number;
  /** End of the history. */
  until: number;
  currencies: readonly string[];
}

/** One order and its charge at the end of the history. */
export interface StagedOrder {
  kind: MismatchKind | undefined;
  lender: Lender;
  applicant: { firstName: string; lastName: string; email: string };
  charge: Charge;
  transactions: Transaction[];
}

const firstNames = 'Ada Ben Cora Dev Elif Finn Gwen Hugo Iris Jon Kaya Leo Mina Noah Olga Paul';
const lastNames = 'Ashby Brandt Cole Duarte Eker Falk Greer Hale Ito Jansen Kerr Lund Moss Quayle';
const first = firstNames.split(' ');
const last = lastNames.split(' ');

/** How orders without a mismatch progress, with cumulative percentages. */
const courses = [
  ['settled', 80],
  ['settled in two parts', 87],
  ['refunded in part', 93],
  ['refunded', 96],
  ['authorized', 98],
  ['voided', 100],
] as const;
type Course = (typeof courses)[number][0];

/** The course that a mismatch requires; the default is settled. */
const needs: Readonly<Partial<Record<MismatchKind, Course>>> = {
  'refund-not-taken': 'refunded in part',
  'discount-kept': 'refunded in part',
  'refund-not-in-ledger': 'refunded in part',
  'double-debit': 'refunded',
  'not-submitted': 'authorized',
};

function courseOf(kind: MismatchKind | undefined, random: Random): Course {
  if (kind !== undefined && kind !== 'orphan') return needs[kind] ?? 'settled';
  const percent = random.fraction() * 100;
  return courses.find(([, below]) => percent < below)?.[0] ?? 'settled';
}

/**
 * Simulates one order from its application to the end of the history; `random` decides everything.
 * @param createdAt when the order was placed; increases from order to order
 */
export function stageOrder(
  scene: Scene,
  index: number,
  createdAt: number,
  kind: MismatchKind | undefined,
  random: Random,
): StagedOrder {
  const lender = random.pick(creditors);
  const currency = random.pick(scene.currencies);
  // Many small orders, few large ones: 50.00 to 5,000.00 with two decimal places.
  const total = 5000 + Math.floor(random.fraction() ** 2 * 495_000);
  const firstName = random.pick(first);
  const lastName = random.pick(last);
  const email = `${firstName}.${lastName}.${index}@example.com`.toLowerCase();
  const ids = idsOf(createdAt, random);
  const stage = new Stage(scene, index, lender, ids, {
    id: ids(),
    environment: scene.environment,
    applicationId: ids(),
    merchantOrderId: `S${scene.seed}-${String(index + 1).padStart(8, '0')}`,
    channel: 'E_COMMERCE',
    storeId: null,
    settleId: null,
    state: 'Authorized',
    currency,
    total,
    ...noSums,
    lenderId: lender.id,
    discountBasisPoints: lender.discountBasisPoints,
    productType: lender.offer.productType,
    promoCode: lender.offer.isPromotional ? lender.offer.code : null,
    tags: {},
    createdAt,
    updatedAt: createdAt,
  });
  // A mismatch is visible only in transactions that are due for funding by the end.
  const until = kind === undefined ? scene.until : scene.until - (lender.fundingLagDays + 1) * DAY;
  const later = (from: number, days: number) =>
    from + Math.floor(random.fraction() * Math.max(0, Math.min(days * DAY, until - from)));
  play(stage, courseOf(kind, random), later, random);
  dispute(stage, kind, later, random);
  return {
    kind,
    lender,
    applicant: { firstName, lastName, email },
    charge: stage.charge,
    transactions: stage.transactions,
  };
}

type Later = (from: number, days: number) => number;

function play(stage: Stage, course: Course, later: Later, random: Random): void {
  const { charge } = stage;
  if (course === 'authorized') return;
  if (course === 'voided') {
    stage.act('Void', later(charge.createdAt, 3), charge.total, voidCharge(charge));
    return;
  }
  const whole = course !== 'settled in two parts';
  const part = whole ? charge.total : random.between(1, charge.total - 1);
  const settledAt = later(charge.createdAt, 2);
  stage.act('Settle', settledAt, part, settle(charge, part));
  if (!whole) {
    stage.act('Settle', later(settledAt, 7), charge.total - part, settle(stage.charge));
    return;
  }
  if (course === 'settled') return;
  const back = course === 'refunded' ? charge.total : random.between(1, charge.total - 1);
  stage.act('Refund', later(settledAt, 25), back, refund(stage.charge, back));
}

function dispute(stage: Stage, kind: MismatchKind | undefined, later: Later, random: Random): void {
  if (kind !== 'chargeback' && kind !== 'chargeback-reversed' && kind !== 'double-debit') return;
  const { charge } = stage;
  const taken = random.fraction() < 0.5 ? charge.settled : random.between(1, charge.settled);
  const takenAt = later(charge.updatedAt, 60);
  stage.act('Chargeback', takenAt, taken, chargeBack(charge, taken));
  if (kind !== 'chargeback-reversed') return;
  stage.act('Reversal', later(takenAt, 30), taken, reverse(stage.charge, taken));
}

/** A charge in progress, which follows the service's own rules. */
class Stage {
  charge: Charge;
  readonly transactions: Transaction[];
  readonly #scene: Scene;
  readonly #index: number;
  readonly #lender: Lender;
  readonly #ids: () => string;

  constructor(scene: Scene, index: number, lender: Lender, ids: () => string, charge: Charge) {
    this.#scene = scene;
    this.#index = index;
    this.#lender = lender;
    this.#ids = ids;
    this.charge = charge;
    this.transactions = [this.#transaction('Authorize', charge.createdAt, charge.total, 0, null)];
  }

  act(type: TransactionType, at: number, amount: number, after: ChargeBalance | Refusal): void {
    if ('refused' in after) throw new Error(`A seeded ${type} is not permitted: ${after.reason}`);
    const before = this.charge;
    this.charge = { ...before, ...after, updatedAt: at };
    const rate = this.#lender.discountBasisPoints;
    const axis = axes[type];
    const discount = axis ? discountBetween(before[axis], after[axis], rate) : 0;
    // A merchant assigns ids to its own transactions, not to those of a lender.
    const ours = type === 'Settle' || type === 'Refund' || type === 'Void';
    const number = `S${this.#scene.seed}-T${String(this.#index + 1).padStart(8, '0')}`;
    const merchantId = ours ? `${number}-${this.transactions.length}` : null;
    this.transactions.push(this.#transaction(type, at, amount, discount, merchantId));
  }

  #transaction(
    type: TransactionType,
    at: number,
    amount: number,
    discount: number,
    merchantTransactionId: string | null,
  ): Transaction {
    return {
      id: this.#ids(),
      environment: this.charge.environment,
      chargeId: this.charge.id,
      type,
      state: 'Completed',
      amount,
      discount,
      merchantTransactionId,
      reconciliationId: null,
      createdAt: at,
      fundAt: axes[type] ? fundingDate(at, this.#lender) : null,
    };
  }
}

/** The running total that a transaction type changes; none for types that move no money. */
const axes: Readonly<
  Partial<Record<TransactionType, 'settled' | 'refunded' | 'chargedBack' | 'reversed'>>
> = { Settle: 'settled', Refund: 'refunded', Chargeback: 'chargedBack', Reversal: 'reversed' };

/**
 * Returns a generator of ids in the format of UUID version 7 (RFC 9562 5.7). The ids start with the
 * time of the order and increase over the history, so that SQLite appends to its indexes.
 */
function idsOf(time: number, random: Random): () => string {
  const stamp = time.toString(16).padStart(12, '0');
  let count = 0;
  return () => {
    const sequence = (count++).toString(16).padStart(3, '0');
    const variant = (8 + (random.word() & 3)).toString(16);
    const tail = random.hex(15);
    return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${sequence}-${variant}${tail.slice(0, 3)}-${tail.slice(3)}`;
  };
}
