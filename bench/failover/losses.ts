import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { confirmOffer } from '../chaos/hosted.ts';
import { type Stack, startStack } from '../chaos/stack.ts';
import { Chance } from '../fuzz/chance.ts';
import { orderTicket } from '../server/load.ts';
import { Cluster } from './cluster.ts';

export interface LossOptions {
  promotions: number;
  seed: number;
  /** Milliseconds after which a loss counts as undetected. */
  patienceMs: number;
  signal?: AbortSignal;
  say: (line: string) => void;
}

export interface LossResult {
  /** Number of charges and refunds at the service that the promoted standby lacked. */
  lost: number;
  /** Those that no companion named. */
  undetected: string[];
  /** Orders that were charged again. */
  doubled: string[];
}

const COMPANIONS = 2;
const RECORDS = `select 'charge ' || charge_id as name from checkouts where charge_id is not null
  union select kind || ' ' || charge_id from charge_operations`;
const NAMED = `select kind || ' ' || charge_id from lost_records`;

/**
 * Promotes an asynchronous standby that lacks the last commits: the charge of a checkout that it
 * has, all of another order, and a refund. Every other time the companions are killed as well, so
 * that only the service knows the second order; there is no refund then, because nothing in the
 * companion could know of it. Shoppers then pay for both orders again.
 */
export async function runLosses(options: LossOptions): Promise<LossResult> {
  const { patienceMs, seed, say } = options;
  const folder = mkdtempSync(join(tmpdir(), 'failover-losses-'));
  const cleanups: (() => Promise<void> | void)[] = [
    () => rmSync(folder, { recursive: true, force: true }),
  ];
  const result: LossResult = { lost: 0, undetected: [], doubled: [] };
  try {
    const cluster = await Cluster.start({ isSynchronous: false });
    cleanups.push(() => cluster.stop());
    await cluster.primary.ask('create database companion');
    const kills = Array.from({ length: Math.floor(options.promotions / 2) }, (_, round) =>
      Array.from({ length: COMPANIONS }, (__, target) => ({
        event: round + 1,
        target,
        delayMs: 0,
      })),
    ).flat();
    const stack = await startStack({
      folder,
      seed,
      store: cluster.url('companion'),
      companions: COMPANIONS,
      kills,
      deadlineMs: 3_000,
      onMessage: () => undefined,
    });
    cleanups.push(stack.stop);
    const shopper = startShopper(stack, seed);
    for (let promotion = 1; promotion <= options.promotions; promotion++) {
      if (options.signal?.aborted === true) break;
      const [kept, gone] = [`kept-${promotion}`, `gone-${promotion}`];
      const refunded = `refunded-${promotion}`;
      const areKilled = promotion % 2 === 0;
      const session = await shopper.prime(kept);
      const charge = await shopper.pay(refunded, await shopper.prime(refunded));
      await cluster.cutStandby();
      const done = [
        `charge ${await shopper.pay(kept, session)}`,
        `charge ${await shopper.pay(gone, await shopper.prime(gone))}`,
      ];
      if (areKilled) {
        const { kills: before } = stack.companions;
        stack.companions.event();
        while (stack.companions.kills < before + COMPANIONS) await pause(10);
      } else {
        await shopper.refund(charge);
        done.push(`refund ${charge}`);
      }
      const { remove } = await cluster.fail();
      const namesOf = async (sql: string) => {
        const rows = await cluster.primary.ask<{ name: string }>(sql, 'companion');
        return new Set(rows.map(({ name }) => name));
      };
      const records = await namesOf(RECORDS);
      const lost = done.filter((one) => !records.has(one));
      result.lost += lost.length;
      const missing = async () => {
        const named = await namesOf(`${RECORDS} union ${NAMED}`);
        return lost.filter((one) => !named.has(one));
      };
      const deadline = Date.now() + patienceMs;
      const untilAtMost = async (count: number) => {
        let unnamed = await missing();
        while (unnamed.length > count && Date.now() < deadline) {
          await pause(50);
          unnamed = await missing();
        }
        return unnamed;
      };
      // Once the companions are killed, only the service has a record of the lost order.
      await untilAtMost(areKilled ? 1 : 0);
      const answers = await Promise.all([kept, gone].map((order) => shopper.again(order)));
      const unnamed = await untilAtMost(0);
      result.undetected.push(...unnamed);
      const charges = await readCharges(stack, folder);
      for (const order of [kept, gone]) {
        if (charges.filter((one) => one === order).length > 1) result.doubled.push(order);
      }
      say(
        `lossy promotion ${promotion}${areKilled ? ', companions killed' : ''}: ${lost.length} records lost, ${unnamed.length} not named; paying again: ${answers.join(', ')}`,
      );
      await remove();
      if (promotion < options.promotions) await cluster.addStandby();
    }
    return result;
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

interface Session {
  id: string;
  secret: string;
  hostedUrl: string;
}

function startShopper(stack: Stack, seed: number) {
  const client = stack.client('storefront', new Chance(seed, 7));

  async function askForSession(order: string) {
    const secret = randomUUID();
    const { body } = await client.until(
      'POST',
      '/checkout/prime',
      { environment: 'sandbox', order: orderTicket(order, stack.secrets.ticket) },
      { 'idempotency-key': secret },
    );
    const { id, presentation } = body as {
      id?: string;
      presentation?: { hosted: { url: string } };
    };
    const session =
      id === undefined || presentation === undefined
        ? undefined
        : { id, secret, hostedUrl: presentation.hosted.url };
    return { session, code: String(body.code ?? body.status) };
  }

  async function pay({ id, secret, hostedUrl }: Session) {
    const headers = { 'financing-checkout-secret': secret };
    const confirmationToken = await confirmOffer(hostedUrl);
    let { body } = await client.until(
      'POST',
      `/checkout/${id}/confirmation`,
      { confirmationToken },
      headers,
    );
    while (body.status === 'confirming' || body.status === 'pending') {
      await client.rest();
      ({ body } = await client.until('GET', `/checkout/${id}`, undefined, headers));
    }
    return body;
  }

  return {
    async prime(order: string): Promise<Session> {
      const { session, code } = await askForSession(order);
      if (session === undefined) throw new Error(`${order} was not primed: ${code}.`);
      return session;
    },
    /** @returns the id of the charge */
    async pay(order: string, session: Session): Promise<string> {
      const { status } = await pay(session);
      if (status !== 'approved') throw new Error(`${order} was not approved: ${String(status)}.`);
      const { body } = await stack.office.until('GET', `/checkouts?merchantOrderId=${order}`);
      const [checkout] = body.checkouts as { chargeId?: string }[];
      return String(checkout?.chargeId);
    },
    async refund(chargeId: string): Promise<void> {
      const path = `/charges/${chargeId}/refunds`;
      const { status } = await stack.office.until(
        'POST',
        path,
        { amount: 1_000 },
        { 'idempotency-key': randomUUID() },
      );
      if (status !== 200 && status !== 201)
        throw new Error(`The refund was answered with ${status}.`);
    },
    /** Tries to pay for an order again. @returns how that ended */
    async again(order: string): Promise<string> {
      const { session, code } = await askForSession(order);
      if (session === undefined) return code;
      const body = await pay(session);
      return String(body.code ?? body.status);
    },
  };
}

/** Returns the order of each charge that the sandbox has. */
async function readCharges(stack: Stack, folder: string): Promise<string[]> {
  const file = await stack.sandbox.state(join(folder, 'sandbox-state.db'));
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('select merchant_order_id from charges').all();
    return rows.map((row) => String(row.merchant_order_id));
  } finally {
    database.close();
  }
}
