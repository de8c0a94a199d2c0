import type { ChargeOperation, ChargeOperationKind } from '@financing-checkout/contract';
import { ApiError, post } from '../../api/client.ts';

/** A request that moves money: the same key and body for each repeat. */
export interface Move {
  key: string;
  kind: ChargeOperationKind;
  chargeId: string;
  orderKey: string;
  /** Minor units; for a void, what can still be settled. */
  amount: number;
  currency: string;
}

/** What became of a request: `unclear` may be done, and is repeated with the same key. */
type MoveEnd =
  | { outcome: 'done'; operation: ChargeOperation }
  | { outcome: 'refused'; operation?: ChargeOperation; error?: ApiError }
  | { outcome: 'unclear'; error?: ApiError };

const segments = { settle: 'settles', refund: 'refunds', void: 'voids' } as const;
/** Refusals that leave open whether the action is done, or that end before they decide it. */
const open = new Set([
  'idempotency-in-flight',
  'outcome-unknown',
  'answer-unreadable',
  'session-ended',
]);

/** Refusals of a request that no companion has seen. */
const stoppedBefore = new Set(['token-invalid', 'token-not-permitted', 'origin-not-allowed']);

const STORED = 'financing-console-move:';
const nameOf = (person: string, chargeId: string) =>
  `${STORED}${encodeURIComponent(person)}:${chargeId}`;

/** Returns the move of a charge whose outcome this tab does not know yet; survives a reload. */
export function pendingMove(person: string, chargeId: string): Move | undefined {
  try {
    const stored = sessionStorage.getItem(nameOf(person, chargeId));
    return stored === null ? undefined : (JSON.parse(stored) as Move);
  } catch {
    return undefined;
  }
}

/** Returns the moves of an order whose outcome this tab does not know yet. */
export function pendingMoves(person: string, orderKey: string): Move[] {
  const prefix = nameOf(person, '');
  return Object.keys(sessionStorage)
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => pendingMove(person, name.slice(prefix.length)) ?? [])
    .filter((move) => move.orderKey === orderKey);
}

/**
 * Sends a move. It is stored before, and removed once its outcome is known. While another move of the
 * charge is stored, that one is repeated in its place.
 */
export async function sendMove(person: string, wanted: Move): Promise<MoveEnd> {
  const stored = pendingMove(person, wanted.chargeId);
  const move = stored ?? wanted;
  const { kind, chargeId, amount, currency, key } = move;
  const name = nameOf(person, chargeId);
  sessionStorage.setItem(name, JSON.stringify(move));
  const end = await requested(
    `/charges/${encodeURIComponent(chargeId)}/${segments[kind]}`,
    // The companion refuses an amount in another currency than the shown one.
    kind === 'void' ? {} : { amount, currency },
    key,
  );
  // A repeat that a missing right stops says nothing about the request before it.
  const isStopped = end.outcome === 'refused' && stoppedBefore.has(end.error?.code ?? '');
  if (stored !== undefined && isStopped) return { ...end, outcome: 'unclear' };
  if (end.outcome !== 'unclear') sessionStorage.removeItem(name);
  return end;
}

async function requested(path: string, body: object, key: string): Promise<MoveEnd> {
  try {
    const operation = await post<ChargeOperation>(path, body, { key });
    if (operation.state === 'accepted') return { outcome: 'done', operation };
    if (operation.state === 'rejected') return { outcome: 'refused', operation };
    return { outcome: 'unclear' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { outcome: isUnclear(error) ? 'unclear' : 'refused', error };
  }
}

/** Whether an action may be done, or may still be done with the same key, in spite of an error. */
export function isUnclear({ status, code }: Pick<ApiError, 'status' | 'code'>): boolean {
  if (code === 'service-rejected') return false;
  return status === 0 || status === 429 || status >= 500 || open.has(code);
}
