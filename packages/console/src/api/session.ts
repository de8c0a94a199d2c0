import type { SignInMethods, SignOut } from '@financing-checkout/contract/reconciliation';
import { ApiError, get, post, send, sessionStarted } from './client.ts';

/** A signed-in user's session. */
export interface Session {
  name: string;
  scopes: readonly ('cases' | 'sync' | 'imports' | 'rebuild' | 'periods' | 'money')[];
  environment: string;
  /** IANA name of the business time zone. */
  zone: string;
  /** When the session expires without activity. ISO 8601. */
  idleEndsAt: string;
  endsAt: string;
  /** Whether the user has the permission, and a companion token, to move money on charges. */
  canMoveMoney: boolean;
}

const PATH = '/console/session';
/** Minimum time between two renewals, in milliseconds. */
const RENEW_EVERY_MS = 60_000;

let environment = '';
let person = '';

/** Returns the session's environment, such as `sandbox`; empty before sign-in. */
export const currentEnvironment = (): string => environment;

/** Returns the name of the signed-in user; empty before the sign-in. */
export const currentPerson = (): string => person;

function entered(session: Session): Session {
  ({ environment, name: person } = session);
  sessionStarted();
  return session;
}

/** Returns the current session, if any. @throws {ApiError} if the server is unreachable */
export async function currentSession(): Promise<Session | undefined> {
  try {
    return entered(await get<Session>(PATH));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
}

/** Starts a session. @throws {ApiError} `token-invalid` */
export async function signIn(token: string): Promise<Session> {
  return entered(await post<Session>(PATH, { token }));
}

/** Returns how users can sign in. @throws {ApiError} if the server is unreachable */
export const signInMethods = (): Promise<SignInMethods> => get<SignInMethods>('/console/sign-in');

/** Ends the session. @returns where the OpenID provider ends its own session, if there is one */
export async function signOut(): Promise<string | undefined> {
  const response = await send(PATH, { method: 'DELETE' });
  if (response.status === 204) return undefined;
  return ((await response.json()) as SignOut).providerUrl;
}

/** Renews the session while the user is active. @returns a function that stops renewing it */
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
