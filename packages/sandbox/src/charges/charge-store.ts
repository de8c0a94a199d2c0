import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../state/database.ts';
import { findRows, insertRow, updateRow } from '../state/rows.ts';
import type { Charge, ChargeBalance } from './charge.ts';

/** The fields of a charge that a merchant may change. */
export interface ChargeChange {
  merchantOrderId?: string | undefined;
  tags?: Charge['tags'] | undefined;
}

type ChargeRow = Omit<Charge, 'tags'> & { tags: string };

export class ChargeStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param environment any environment if null */
  byId(id: string, environment: EnvironmentName | null = null): Charge | undefined {
    return this.#find('id = ?1 AND environment = coalesce(?2, environment)', id, environment);
  }

  /** Returns an order's newest charge, by row id: dates are unreliable after a clock set back. */
  ofOrder(environment: EnvironmentName, merchantOrderId: string): Charge | undefined {
    const last = 'environment = ? AND merchant_order_id = ? ORDER BY rowid DESC LIMIT 1';
    return this.#find(last, environment, merchantOrderId);
  }

  /** Returns the charge that was created with a confirmation token, if any. */
  ofConfirmation(environment: EnvironmentName, token: string): Charge | undefined {
    return this.#find(
      `environment = ? AND application_id =
         (SELECT id FROM applications WHERE confirmation_token = ?)`,
      environment,
      token,
    );
  }

  insert(charge: Charge): void {
    insertRow(this.#database, 'charges', { ...charge, tags: JSON.stringify(charge.tags) });
  }

  /** Writes the balance after an operation. */
  write(charge: Charge, after: ChargeBalance, at: number): Charge {
    const { state, voided, settled, refunded, chargedBack, reversed } = after;
    const balance = { state, voided, settled, refunded, chargedBack, reversed, updatedAt: at };
    updateRow(this.#database, 'charges', charge.id, balance);
    return { ...charge, ...after, updatedAt: at };
  }

  /** Records which settle was created together with the charge. */
  markSettle(charge: Charge, settleId: string): Charge {
    updateRow(this.#database, 'charges', charge.id, { settleId });
    return { ...charge, settleId };
  }

  /** Applies the merchant's change; absent fields keep their values. */
  update(charge: Charge, change: ChargeChange, at: number): Charge {
    const { merchantOrderId = charge.merchantOrderId, tags = charge.tags } = change;
    const row = { merchantOrderId, tags: JSON.stringify(tags), updatedAt: at };
    updateRow(this.#database, 'charges', charge.id, row);
    return { ...charge, merchantOrderId, tags, updatedAt: at };
  }

  #find(condition: string, ...values: (string | null)[]): Charge | undefined {
    const row = findRows<ChargeRow>(
      this.#database,
      `SELECT * FROM charges WHERE ${condition}`,
      ...values,
    )[0];
    return row && { ...row, tags: JSON.parse(row.tags) as Charge['tags'] };
  }
}
