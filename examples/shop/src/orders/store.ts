import { checkoutStatusSchema } from '@financing-checkout/contract/storefront';
import type { CheckoutRecord } from '@financing-checkout/contract/back-office';
import { randomBytes } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { transaction } from '../database.ts';
import type { Order, OrderContents } from './order.ts';

/** Stores the shop's orders. */
export interface Orders {
  create(visitor: string, contents: OrderContents): Order;
  find(id: string): Order | undefined;
  findByNumber(number: string): Order | undefined;
  /** Newest first. */
  ofVisitor(visitor: string): Order[];
  /** Newest first. */
  latest(limit: number): Order[];
  /** Moves a browser's orders to its new visitor id. */
  moveVisitor(from: string, to: string): void;
  cancel(id: string): void;
  chooseTransfer(id: string): void;
  /** Records that the companion was asked about the order. */
  asked(id: string): void;
  /** Stores a record from the companion unless a newer one is stored. @returns whether it was stored */
  recordFinancing(record: CheckoutRecord): boolean;
  /** Stores a record that the shop did not accept, for its staff. */
  refuse(order: Order, checkoutId: string, reason: string): void;
}

type Row = Record<string, SQLOutputValue>;

/** Keeps orders in the shop's database. */
export function createOrders(database: DatabaseSync, now: () => Date): Orders {
  const at = () => now().toISOString();
  const insert = database.prepare(
    `INSERT INTO orders (sequence, id, number, visitor, created_at, contents)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const lastSequence = database.prepare(
    `SELECT coalesce(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'orders'`,
  );
  const byId = database.prepare('SELECT * FROM orders WHERE id = ?');
  const byNumber = database.prepare('SELECT * FROM orders WHERE number = ?');
  const byVisitor = database.prepare(
    'SELECT * FROM orders WHERE visitor = ? ORDER BY sequence DESC',
  );
  const newest = database.prepare('SELECT * FROM orders ORDER BY sequence DESC LIMIT ?');
  const financingsOf = database.prepare(
    'SELECT * FROM financings WHERE order_number = ? ORDER BY updated_at, checkout_id',
  );
  const refusalsOf = database.prepare('SELECT * FROM refusals WHERE order_number = ? ORDER BY at');
  const setVisitor = database.prepare('UPDATE orders SET visitor = ? WHERE visitor = ?');
  const setCancelled = database.prepare(
    'UPDATE orders SET cancelled_at = coalesce(cancelled_at, ?) WHERE id = ?',
  );
  const setTransfer = database.prepare(
    'UPDATE orders SET transfer_chosen_at = coalesce(transfer_chosen_at, ?) WHERE id = ?',
  );
  const setAsked = database.prepare('UPDATE orders SET asked_at = ? WHERE id = ?');
  // Messages arrive more than once and in any order. The statement compares revisions itself, so that
  // two concurrent deliveries cannot undo each other.
  const upsertFinancing = database.prepare(
    `INSERT INTO financings (checkout_id, order_number, revision, status, retry_safe, charge_id, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (checkout_id) DO UPDATE SET
       revision = excluded.revision, status = excluded.status,
       retry_safe = excluded.retry_safe, charge_id = excluded.charge_id,
       updated_at = excluded.updated_at
     WHERE excluded.revision > financings.revision
       AND excluded.order_number = financings.order_number`,
  );
  const insertRefusal = database.prepare(
    `INSERT INTO refusals (order_number, checkout_id, reason, at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );

  const read = (row: Row): Order => ({
    id: String(row.id),
    number: String(row.number),
    visitor: String(row.visitor),
    createdAt: String(row.created_at),
    // The cast is safe: `create` wrote the column from this type, and the database refuses changes
    // to it.
    contents: JSON.parse(String(row.contents)) as OrderContents,
    cancelledAt: optional(row.cancelled_at),
    transferChosenAt: optional(row.transfer_chosen_at),
    askedAt: optional(row.asked_at),
    financings: financingsOf.all(String(row.number)).map((financing) => ({
      checkoutId: String(financing.checkout_id),
      revision: Number(financing.revision),
      status: checkoutStatusSchema.parse(financing.status),
      retrySafe: financing.retry_safe === 1,
      chargeId: optional(financing.charge_id),
      updatedAt: String(financing.updated_at),
    })),
    refusals: refusalsOf.all(String(row.number)).map((refusal) => ({
      checkoutId: String(refusal.checkout_id),
      reason: String(refusal.reason),
      at: String(refusal.at),
    })),
  });
  const readOne = (row: Row | undefined) => (row ? read(row) : undefined);

  const orders: Orders = {
    create(visitor, contents) {
      const id = randomBytes(18).toString('base64url');
      transaction(database, () => {
        // The first number is not 1, so that order numbers do not reveal how much the shop has sold.
        const sequence = Math.max(Number(lastSequence.get()?.last), 10_041) + 1;
        const number = `NB-${now().getUTCFullYear()}-${sequence}`;
        insert.run(sequence, id, number, visitor, at(), JSON.stringify(contents));
      });
      const order = orders.find(id);
      if (!order) throw new Error('The order was not stored.');
      return order;
    },
    find: (id) => readOne(byId.get(id)),
    findByNumber: (number) => readOne(byNumber.get(number)),
    ofVisitor: (visitor) => byVisitor.all(visitor).map(read),
    latest: (limit) => newest.all(limit).map(read),
    moveVisitor: (from, to) => void setVisitor.run(to, from),
    cancel: (id) => void setCancelled.run(at(), id),
    chooseTransfer: (id) => void setTransfer.run(at(), id),
    asked: (id) => void setAsked.run(at(), id),
    recordFinancing: (record) =>
      upsertFinancing.run(
        record.checkoutId,
        record.merchantOrderId,
        record.revision,
        record.status,
        record.retrySafe ? 1 : 0,
        record.chargeId ?? null,
        record.updatedAt,
      ).changes > 0,
    refuse: (order, checkoutId, reason) =>
      void insertRefusal.run(order.number, checkoutId, reason, at()),
  };
  return orders;
}

function optional(value: SQLOutputValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
