import { randomUUID } from 'node:crypto';
import type { SandboxClock } from '../clock/clock.ts';
import type { Database } from '../store/database.ts';
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

/** Delivery dates in the store: one record for each charge, which a later request replaces. */
export class Deliveries {
  readonly #database: Database;
  readonly #clock: SandboxClock;

  constructor(database: Database, clock: SandboxClock) {
    this.#database = database;
    this.#clock = clock;
  }

  set(charge: Charge, items: readonly DeliveryItem[]): Delivery {
    const now = this.#clock.now();
    const row = this.#database
      .prepare(
        `INSERT INTO deliveries (charge_id, id, items, created_at, updated_at)
         VALUES (?, ?, ?, ?4, ?4)
         ON CONFLICT (charge_id) DO UPDATE SET items = excluded.items, updated_at = excluded.updated_at
         RETURNING id, created_at`,
      )
      .get(charge.id, randomUUID(), JSON.stringify(items), now) as {
      id: string;
      created_at: number;
    };
    return { id: row.id, items, createdAt: row.created_at, updatedAt: now };
  }
}
