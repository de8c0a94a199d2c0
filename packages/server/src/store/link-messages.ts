import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import { lockMessages } from './sql/order-lock.ts';

/** A limit on the number of messages since a point in time. `limit` 0 means no limit. */
interface MessageBudget {
  limit: number;
  /** Milliseconds since 1970. */
  since: number;
}

export interface LinkMessage {
  /** Digests of the recipient; the first one is stored. If empty, there is no limit per recipient. */
  recipients: readonly string[];
  /** Environment and name of the back-office token. */
  sender: string;
  budget: { recipient: MessageBudget; token: MessageBudget };
}

/** An exhausted message budget; part of it becomes available again at `freeAt`. */
export interface SpentMessages {
  of: 'recipient' | 'token';
  freeAt: number;
}

/** Returns the budget that a message would exceed, or undefined if the message may be sent. */
export async function spentMessages(
  tx: Kysely<Schema>,
  { recipients, sender, budget }: LinkMessage,
  now: number,
): Promise<SpentMessages | undefined> {
  const counted: (MessageBudget & {
    of: SpentMessages['of'];
    column: 'recipient' | 'sender';
    names: readonly string[];
  })[] = [
    { of: 'recipient', column: 'recipient', names: recipients, ...budget.recipient },
    { of: 'token', column: 'sender', names: [sender], ...budget.token },
  ];
  for (const { of, column, names, limit, since } of counted) {
    const [name] = names;
    if (limit === 0 || name === undefined) continue;
    await lockMessages(tx, column, name);
    const oldest = await tx
      .selectFrom('linkMessages')
      .innerJoin('attempts', 'attempts.id', 'linkMessages.attemptId')
      .select('linkMessages.createdAt')
      .where(`linkMessages.${column}`, 'in', names)
      .where('linkMessages.createdAt', '>', since)
      // The service sent no message for these attempts.
      .where('attempts.state', 'not in', ['not-sent', 'rejected'])
      .orderBy('linkMessages.createdAt', 'desc')
      .limit(1)
      .offset(limit - 1)
      .executeTakeFirst();
    if (oldest !== undefined) return { of, freeAt: oldest.createdAt + now - since };
  }
  return undefined;
}

/** Records a message before the service is asked to send it. */
export async function insertLinkMessage(
  tx: Kysely<Schema>,
  { recipients, sender }: LinkMessage,
  { attemptId, now }: { attemptId: string; now: number },
): Promise<void> {
  const [recipient = null] = recipients;
  await tx
    .insertInto('linkMessages')
    .values({ attemptId, recipient, sender, createdAt: now })
    .execute();
}
