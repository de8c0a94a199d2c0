import type { TransactionType } from '../charges/charge.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../store/database.ts';
import { suits, type FundingFault } from './fault.ts';

/** Which fundings a fault waits for: of an order, a charge, a transaction, or the next of any. */
export interface FaultTarget {
  environment: EnvironmentName;
  merchantOrderId?: string | undefined;
  chargeId?: string | undefined;
  transactionId?: string | undefined;
  transactionType?: TransactionType | undefined;
}

/** A fault that was asked for. */
export interface PlantedFault {
  id: number;
  target: FaultTarget;
  fault: FundingFault;
  /** How many fundings it will still happen to. */
  remaining: number;
  /** How many it has happened to. */
  applied: number;
}

/** A transaction that is about to be funded. */
export interface FundingDue {
  environment: EnvironmentName;
  merchantOrderId: string;
  chargeId: string;
  transactionId: string;
  transactionType: TransactionType;
}

/** The faults that were asked for, in the store, oldest first. */
export class FundingFaults {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(target: FaultTarget, fault: FundingFault, count: number): PlantedFault {
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO funding_faults (environment, fault, merchant_order_id, charge_id,
          transaction_id, transaction_type, remaining) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        target.environment,
        JSON.stringify(fault),
        target.merchantOrderId ?? null,
        target.chargeId ?? null,
        target.transactionId ?? null,
        target.transactionType ?? null,
        count,
      );
    return { id: Number(lastInsertRowid), target, fault, remaining: count, applied: 0 };
  }

  list(): PlantedFault[] {
    const rows = this.#database.prepare('SELECT * FROM funding_faults ORDER BY id').all();
    return (rows as unknown[] as FaultRow[]).map(fromRow);
  }

  /** Takes back one fault, or all. @returns how many there were */
  clear(id?: number): number {
    const { changes } =
      id === undefined
        ? this.#database.prepare('DELETE FROM funding_faults').run()
        : this.#database.prepare('DELETE FROM funding_faults WHERE id = ?').run(id);
    return Number(changes);
  }

  /**
   * The faults that wait, to be asked for each of a batch of fundings: the first that suits one
   * happens to it. Part of the batch's own transaction.
   */
  waiting(): (due: FundingDue) => FundingFault | undefined {
    const rows = this.#database
      .prepare('SELECT * FROM funding_faults WHERE remaining > 0 ORDER BY id')
      .all() as unknown[] as FaultRow[];
    const planted = rows.map(fromRow);
    const applied = this.#database.prepare(
      'UPDATE funding_faults SET remaining = remaining - 1, applied = applied + 1 WHERE id = ?',
    );
    return (due) => {
      const hit = planted.find((candidate) => candidate.remaining > 0 && waitsFor(candidate, due));
      if (!hit) return undefined;
      hit.remaining -= 1;
      applied.run(hit.id);
      return hit.fault;
    };
  }
}

function waitsFor({ target, fault }: PlantedFault, due: FundingDue): boolean {
  return (
    target.environment === due.environment &&
    suits(fault, due.transactionType) &&
    is(target.merchantOrderId, due.merchantOrderId) &&
    is(target.chargeId, due.chargeId) &&
    is(target.transactionId, due.transactionId) &&
    is(target.transactionType, due.transactionType)
  );
}

function is(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === value;
}

interface FaultRow {
  id: number;
  environment: EnvironmentName;
  fault: string;
  merchant_order_id: string | null;
  charge_id: string | null;
  transaction_id: string | null;
  transaction_type: TransactionType | null;
  remaining: number;
  applied: number;
}

function fromRow(row: FaultRow): PlantedFault {
  return {
    id: row.id,
    target: {
      environment: row.environment,
      merchantOrderId: row.merchant_order_id ?? undefined,
      chargeId: row.charge_id ?? undefined,
      transactionId: row.transaction_id ?? undefined,
      transactionType: row.transaction_type ?? undefined,
    },
    fault: JSON.parse(row.fault) as FundingFault,
    remaining: row.remaining,
    applied: row.applied,
  };
}
