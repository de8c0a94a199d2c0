import { readFileSync } from 'node:fs';
import { type Problem, problemSchema } from '@financing-checkout/contract/storefront';
import {
  call,
  type Connection,
  exitCodes,
  type OptionTable,
  type Peer,
  type PeerRequest,
  personOf,
  listenerUrl,
  readPeerAddress,
  shared,
  type Shell,
} from '@financing-checkout/kit/cli';
import { isoMoment } from '../../back-office/period.ts';
import { environmentOf } from '../../config/variables.ts';

const OTHER_LISTENER =
  'Is COMPANION_BACK_OFFICE_URL the back-office address, and not the storefront address?';

/** The running companion, whose back office the commands call. */
export const peer: Peer = {
  name: 'The companion',
  serve: 'financing-companion serve',
  urlVariable: 'COMPANION_BACK_OFFICE_URL',
  address: 'its back-office address',
  tokenVariable: 'COMPANION_BACK_OFFICE_TOKEN',
  environmentVariable: 'FINANCING_ENVIRONMENT',
  problemSchema,
  exits: {
    'service-unavailable': exitCodes.unavailable,
    'service-key-rejected': exitCodes.unavailable,
    'store-unavailable': exitCodes.unavailable,
    overloaded: exitCodes.unavailable,
    'rate-limited': exitCodes.unavailable,
    'token-invalid': exitCodes.denied,
    'token-not-permitted': exitCodes.denied,
    'origin-not-allowed': exitCodes.denied,
    'outcome-unknown': exitCodes.unknown,
    'idempotency-in-flight': exitCodes.unknown,
    'charge-busy': exitCodes.unknown,
  } satisfies Partial<Record<Problem['code'], number>>,
  lost: ['internal', 'store-unavailable'] satisfies Problem['code'][],
  // Problems that the storefront listener reports for requests without a public key or an origin.
  advice: {
    'public-key-invalid': OTHER_LISTENER,
    'origin-not-allowed': OTHER_LISTENER,
  } satisfies Partial<Record<Problem['code'], string>>,
};

/** Returns the back office at COMPANION_BACK_OFFICE_URL. @throws {ConfigurationError} */
export function officeOf({ env, fetch }: Pick<Shell, 'env' | 'fetch'>): Connection {
  const reader = environmentOf(env, (path) => readFileSync(path, 'utf8'));
  const names = {
    url: 'COMPANION_BACK_OFFICE_URL',
    token: 'COMPANION_BACK_OFFICE_TOKEN',
    insecure: 'COMPANION_BACK_OFFICE_INSECURE',
  } as const;
  const { url, token } = readPeerAddress(reader, names, () =>
    listenerUrl(
      reader.read('COMPANION_BACK_OFFICE_HOST'),
      reader.read('COMPANION_BACK_OFFICE_PORT'),
    ),
  );
  const environment = reader.isNamed('FINANCING_ENVIRONMENT')
    ? reader.read('FINANCING_ENVIRONMENT')
    : undefined;
  reader.refuseProblems();
  return { peer, url, token, environment, fetch: (path, init) => fetch(url + path, init) };
}

/** Sends a request to the back office. @throws {CommandFailure} with the exit code of the error */
export async function askOffice<Answer>(
  shell: Shell,
  request: PeerRequest<Answer>,
): Promise<Answer> {
  return call(officeOf(shell), request);
}

/** Returns the person who makes the decision, if given. @param by the value of `--by` */
export function actingPerson(shell: Shell, by: string | undefined): string | undefined {
  const hasToken = officeOf(shell).token !== undefined;
  return personOf(shell, by, { variable: 'COMPANION_USER', hasToken });
}

/** Options that limit a list to a period, like the parameters of the list's route. */
export const period = {
  from: shared.from('created at or after, a day in UTC, or a day and time (ISO 8601)', isoMoment),
  to: shared.to('created at or before', isoMoment),
} satisfies OptionTable;

/** Returns the part of a "none" message that refers to the given period; empty without a period. */
export const ofPeriod = ({ from, to }: { from?: string | undefined; to?: string | undefined }) =>
  from === undefined && to === undefined ? '' : ' of this time';

/** Help text that says which companion a command calls. */
export const officeHelp = `Calls the back office at COMPANION_BACK_OFFICE_URL (on this machine by default) with
COMPANION_BACK_OFFICE_TOKEN, or the file COMPANION_BACK_OFFICE_TOKEN_FILE. With FINANCING_ENVIRONMENT a
companion of another environment is refused (exit code 78).`;
