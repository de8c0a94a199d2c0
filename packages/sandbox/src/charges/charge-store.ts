import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../store/database.ts';
import type { Charge, ChargeBalance } from './charge.ts';
import { chargeFromRow, type ChargeRow } from './rows.ts';

/** What a merchant may change of a charge. */
export interface ChargeChange {
  merchantOrderId?: string | undefined;
  tags?: Charge['tags'] | undefined;
}

/** The rows of charges. */
export class ChargeStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param environment any when absent */
  byId(id: string, environment?: EnvironmentName): Charge | undefined {
    return this.#find(
      'id = ?1 AND environment = coalesce(?2, environment)',
      id,
      environment ?? null,
    );
  }

  /** The charge of an order that was made last: by its row, for the clock may have been put back. */
  ofOrder(environment: EnvironmentName, merchantOrderId: string): Charge | undefined {
    const last = 'environment = ? AND merchant_order_id = ? ORDER BY rowid DESC LIMIT 1';
    return this.#find(last, environment, merchantOrderId);
  }

  /** The charge that was made of a confirmation token. */
  ofConfirmation(environment: EnvironmentName, token: string): Charge | undefined {
    return this.#find(
      `environment = ? AND application_id =
         (SELECT id FROM applications WHERE confirmation_token = ?)`,
      environment,
      token,
    );
  }

  /** Stores a charge of which nothing is settled yet. */
  insert(charge: Charge): void {
    this.#database
      .prepare(
        `INSERT INTO charges (id, environment, application_id, merchant_order_id, channel, store_id,
          state, currency, total, lender_id, discount_basis_points, product_type, promo_code, tags,
          created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        charge.id,
        charge.environment,
        charge.applicationId,
        charge.merchantOrderId,
        charge.channel,
        charge.storeId,
        charge.state,
        charge.currency,
        charge.total,
        charge.lenderId,
        charge.discountBasisPoints,
        charge.productType,
        charge.promoCode,
        JSON.stringify(charge.tags),
        charge.createdAt,
        charge.updatedAt,
      );
  }

  /** Writes the balance after an operation. */
  write(charge: Charge, after: ChargeBalance, at: number): Charge {
    const { state, voided, settled, refunded, chargedBack, reversed } = after;
    this.#database
      .prepare(
        `UPDATE charges SET state = ?, voided = ?, settled = ?, refunded = ?, charged_back = ?,
          reversed = ?, updated_at = ? WHERE id = ?`,
      )
      .run(state, voided, settled, refunded, chargedBack, reversed, at, charge.id);
    return { ...charge, ...after, updatedAt: at };
  }

  /** Marks a settle as the one that was made with the charge. */
  markSettle(charge: Charge, settleId: string): Charge {
    this.#database
      .prepare('UPDATE charges SET settle_id = ? WHERE id = ?')
      .run(settleId, charge.id);
    return { ...charge, settleId };
  }

  /** Writes what the merchant changes; an absent field stays. */
  update(charge: Charge, change: ChargeChange, at: number): Charge {
    const { merchantOrderId = charge.merchantOrderId, tags = charge.tags } = change;
    this.#database
      .prepare('UPDATE charges SET merchant_order_id = ?, tags = ?, updated_at = ? WHERE id = ?')
      .run(merchantOrderId, JSON.stringify(tags), at, charge.id);
    return { ...charge, merchantOrderId, tags, updatedAt: at };
  }

  #find(condition: string, ...values: (string | null)[]): Charge | undefined {
    const row = this.#database
      .prepare(`SELECT * FROM charges WHERE ${condition}`)
      .get(...values) as ChargeRow | undefined;
    return row && chargeFromRow(row);
  }
}
