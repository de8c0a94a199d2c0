import { z } from 'zod';
import { environmentNames } from '../environments/environment.ts';
import { keyKinds } from '../environments/keys.ts';
import { parseDuration } from '../platform/duration.ts';
import { operation, Refusal } from './operation.ts';

/** Maximum grace period, in milliseconds: one year. */
const MAX_GRACE = 365 * 86_400_000;

/** Rotates keys (specification 5.3, 5.6). A private key is only written to its file. */
export const keyOperations = [
  operation('keys rotate', 'POST /keys/rotate', {
    does:
      'Write a new key to the key file of a running sandbox. The old key stays valid until its grace\n' +
      'period ends on the sandbox clock; then it is answered with 401.',
    input: z.strictObject({
      environment: z.enum(environmentNames),
      kind: z.enum(keyKinds).default('private'),
      grace: z.string().default('24h'),
    }),
    options: {
      environment: '<environment>  environment of the key',
      kind: '--kind <kind>  kind of the key',
      grace: '--grace <duration>  how long the old key stays valid; 0 ends it at once',
    },
    help: `Examples:
  financing-sandbox keys rotate sandbox
  financing-sandbox keys rotate uat --kind public --grace 2h
  financing-sandbox keys rotate sandbox --grace 0     an outdated key, now`,
    run: ({ keys }, { environment, kind, grace }) => {
      const graceMs = grace === '0' ? 0 : parseDuration(grace);
      if (graceMs === undefined) {
        throw new Refusal('grace must be a duration such as 24h, or 0 to end the old key at once');
      }
      if (graceMs > MAX_GRACE) throw new Refusal('grace is at most 365d');
      const { key, previousValidUntil } = keys.rotate(environment, kind, graceMs);
      return {
        environment,
        kind,
        file: key.file,
        publicKey: kind === 'public' ? key.value : undefined,
        previousValidUntil: new Date(previousValidUntil).toISOString(),
      };
    },
    show: ({ environment, kind, file, previousValidUntil }, { grace }) => [
      `The new ${kind} key of ${environment} is in ${file}`,
      grace === '0'
        ? 'The old key is outdated: 401'
        : `The old key is valid until ${previousValidUntil}`,
    ],
  }),
];
