import { randomUUID } from 'node:crypto';
import type { SandboxClock } from '../state/clock.ts';
import type { Database } from '../state/database.ts';
import { findRows } from '../state/rows.ts';
import type { Charge } from './charge.ts';

/** One line of a delivery; the date is ISO 8601. */
export interface DeliveryItem {
  sku: string;
  quantity: number;
  deliveryDate?: string | undefined;
}

/** The delivery dates of a charge. Times in milliseconds. */
export interface Delivery {
  id: string;
  items: readonly DeliveryItem[];
  createdAt: number;
  updatedAt: number;
}

/** The delivery dates in the store: one record for each charge; a later request replaces it. */
export class Deliveries {
  readonly #database: Database;
  readonly #clock: SandboxClock;

  constructor(database: Database, clock: SandboxClock) {
    this.#database = database;
    this.#clock = clock;
  }

  set(charge: Charge, items: readonly DeliveryItem[]): Delivery {
    const updatedAt = this.#clock.now();
    const row = findRows<Pick<Delivery, 'id' | 'createdAt'>>(
      this.#database,
      `INSERT INTO deliveries (charge_id, id, items, created_at, updated_at)
       VALUES (?, ?, ?, ?4, ?4)
       ON CONFLICT (charge_id) DO UPDATE SET items = excluded.items, updated_at = excluded.updated_at
       RETURNING id, created_at`,
      charge.id,
      randomUUID(),
      JSON.stringify(items),
      updatedAt,
    )[0];
    if (!row) throw new Error('SQLite returned no row for a delivery.');
    return { ...row, items, updatedAt };
  }
}
