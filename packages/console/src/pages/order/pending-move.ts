import type {
  ChargeOperation,
  ChargeOperationKind,
} from '@financing-checkout/contract/back-office';
import { ApiError, isUnclear, post } from '../../api/client.ts';

/** A request that moves money. Its key and body are the same for every retry. */
export interface Move {
  key: string;
  kind: ChargeOperationKind;
  chargeId: string;
  orderKey: string;
  /** Minor units; for a void, what can still be settled. */
  amount: number;
  currency: string;
}

/** A request's outcome. `unclear`: it may have taken effect, and is retried with the same key. */
type MoveEnd =
  | { outcome: 'done'; operation: ChargeOperation }
  | { outcome: 'refused'; operation?: ChargeOperation; error?: ApiError }
  | { outcome: 'unclear'; error?: ApiError };

const segments = { settle: 'settles', refund: 'refunds', void: 'voids' } as const;
/** Error codes of a request that never reached the companion. */
const stoppedBefore = new Set(['token-invalid', 'token-not-permitted', 'origin-not-allowed']);

const STORED = 'financing-console-move:';
const nameOf = (person: string, chargeId: string) =>
  `${STORED}${encodeURIComponent(person)}:${chargeId}`;

/** Returns the charge's move whose outcome this tab does not know yet. Survives a reload. */
export function pendingMove(person: string, chargeId: string): Move | undefined {
  try {
    const stored = sessionStorage.getItem(nameOf(person, chargeId));
    return stored === null ? undefined : (JSON.parse(stored) as Move);
  } catch {
    return undefined;
  }
}

/** Returns an order's moves whose outcomes this tab does not know yet. */
export function pendingMoves(person: string, orderKey: string): Move[] {
  const prefix = nameOf(person, '');
  return Object.keys(sessionStorage)
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => pendingMove(person, name.slice(prefix.length)) ?? [])
    .filter((move) => move.orderKey === orderKey);
}

/**
 * Sends a move, storing it first and removing it once its outcome is known. If another move for the
 * charge is already stored, that one is retried instead.
 */
export async function sendMove(person: string, wanted: Move): Promise<MoveEnd> {
  const stored = pendingMove(person, wanted.chargeId);
  const move = stored ?? wanted;
  const { kind, chargeId, amount, currency, key } = move;
  const name = nameOf(person, chargeId);
  sessionStorage.setItem(name, JSON.stringify(move));
  const end = await requested(
    `/charges/${encodeURIComponent(chargeId)}/${segments[kind]}`,
    // The companion refuses an amount in a currency other than the displayed one.
    kind === 'void' ? {} : { amount, currency },
    key,
  );
  // A retry that fails for lack of permission says nothing about the original request.
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
