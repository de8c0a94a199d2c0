import type { TransactionType } from '../charges/charge.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../state/database.ts';
import { execute, findRows, insertRow } from '../state/rows.ts';
import { suits, type FundingFault } from './fault.ts';

/** The fundings that a fault applies to: of an order, a charge, a transaction, or any next one. */
interface FaultTarget {
  environment: EnvironmentName;
  merchantOrderId?: string | undefined;
  chargeId?: string | undefined;
  transactionId?: string | undefined;
  transactionType?: TransactionType | undefined;
}

/** A fault that was added through the control API. */
interface PlantedFault {
  id: number;
  target: FaultTarget;
  fault: FundingFault;
  /** How many more fundings the fault will change. */
  remaining: number;
  /** Number of fundings that the fault has changed. */
  applied: number;
}

/** A transaction that is due for funding. */
interface FundingDue {
  environment: EnvironmentName;
  merchantOrderId: string;
  chargeId: string;
  transactionId: string;
  transactionType: TransactionType;
}

/** The active faults, in the store, oldest first. */
export class FundingFaults {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(target: FaultTarget, fault: FundingFault, count: number): PlantedFault {
    const id = insertRow(this.#database, 'funding_faults', {
      environment: target.environment,
      fault: JSON.stringify(fault),
      merchantOrderId: target.merchantOrderId ?? null,
      chargeId: target.chargeId ?? null,
      transactionId: target.transactionId ?? null,
      transactionType: target.transactionType ?? null,
      remaining: count,
    });
    return { id, target, fault, remaining: count, applied: 0 };
  }

  list(): PlantedFault[] {
    const sql = 'SELECT * FROM funding_faults ORDER BY id';
    return findRows<FaultRow>(this.#database, sql).map(fromRow);
  }

  /** Removes one fault, or all. @returns the number removed */
  clear(id?: number): number {
    return id === undefined
      ? execute(this.#database, 'DELETE FROM funding_faults')
      : execute(this.#database, 'DELETE FROM funding_faults WHERE id = ?', id);
  }

  /**
   * Returns a function that consumes the first fault that applies to a funding. Use it for one
   * batch of fundings, within the batch's own transaction.
   */
  waiting(): (due: FundingDue) => FundingFault | undefined {
    const planted = this.list().filter(({ remaining }) => remaining > 0);
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
    suits(fault, due.transactionType) &&
    (Object.keys(target) as (keyof FaultTarget)[]).every(
      (name) => target[name] === undefined || target[name] === due[name],
    )
  );
}

interface FaultRow extends Pick<PlantedFault, 'id' | 'remaining' | 'applied'> {
  environment: EnvironmentName;
  fault: string;
  merchantOrderId: string | null;
  chargeId: string | null;
  transactionId: string | null;
  transactionType: TransactionType | null;
}

function fromRow({ id, fault, remaining, applied, ...target }: FaultRow): PlantedFault {
  return {
    id,
    target: {
      environment: target.environment,
      merchantOrderId: target.merchantOrderId ?? undefined,
      chargeId: target.chargeId ?? undefined,
      transactionId: target.transactionId ?? undefined,
      transactionType: target.transactionType ?? undefined,
    },
    fault: JSON.parse(fault) as FundingFault,
    remaining,
    applied,
  };
}
