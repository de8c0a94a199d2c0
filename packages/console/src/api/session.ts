import { ApiError, get, post, send } from './client.ts';

/** The session of a signed-in person. */
export interface Session {
  name: string;
  scopes: readonly ('cases' | 'sync' | 'imports' | 'rebuild' | 'money')[];
  environment: string;
  /** IANA name of the business zone. */
  zone: string;
  /** ISO 8601. Without activity the session ends then. */
  idleEndsAt: string;
  endsAt: string;
  /** Whether charges can be moved: the right, and a token of the companion for it. */
  canMoveMoney: boolean;
}

const PATH = '/console/session';
/** Minimum milliseconds between two renewals. */
const RENEW_EVERY_MS = 60_000;

/** Returns the living session, if any. @throws {ApiError} when the server is out of reach */
export async function currentSession(): Promise<Session | undefined> {
  try {
    return await get<Session>(PATH);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
}

/** Begins a session. @throws {ApiError} `token-invalid` */
export function signIn(token: string): Promise<Session> {
  return post<Session>(PATH, { token });
}

export async function signOut(): Promise<void> {
  await send(PATH, { method: 'DELETE' });
}

/** Renews the session while the person uses the page. Returns a function that stops it. */
export function renewOnActivity(onRenewed: (session: Session) => void): () => void {
  let last = Date.now();
  const renew = () => {
    if (Date.now() - last < RENEW_EVERY_MS) return;
    last = Date.now();
    post<Session>(`${PATH}/renewal`, {}).then(onRenewed, () => undefined);
  };
  const events = ['pointerdown', 'keydown', 'wheel'] as const;
  for (const name of events) addEventListener(name, renew, { passive: true });
  return () => {
    for (const name of events) removeEventListener(name, renew);
  };
}
