import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import { lockMessages } from './sql/order-lock.ts';

/** A number of messages, counted from a time on. `limit` 0 is no limit. */
interface MessageBudget {
  limit: number;
  /** Milliseconds since 1970. */
  since: number;
}

/** The message by which the service sends a link. */
export interface LinkMessage {
  /** Digests of the recipient, of which the first is stored. Empty: the recipient is not limited. */
  recipients: readonly string[];
  /** Environment and name of the back-office token. */
  sender: string;
  budget: { recipient: MessageBudget; token: MessageBudget };
}

/** A budget of messages that is spent; a part of it is free again at `freeAt`. */
export interface SpentMessages {
  of: 'recipient' | 'token';
  freeAt: number;
}

/** Returns the budget that a message would exceed, undefined when it may be sent. */
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
    await lockMessages(tx, name);
    const oldest = await tx
      .selectFrom('linkMessages')
      .innerJoin('attempts', 'attempts.id', 'linkMessages.attemptId')
      .select('linkMessages.createdAt')
      .where(`linkMessages.${column}`, 'in', names)
      .where('linkMessages.createdAt', '>', since)
      // Of these the service has sent nothing.
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
