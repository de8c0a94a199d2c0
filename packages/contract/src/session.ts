import { z } from 'zod';
import { environmentSchema } from './outcome.ts';

/** Body of `POST /console/session`: an API token. */
export const sessionRequestSchema = z.strictObject({ token: z.string().min(1).max(1_024) });

/** A user's session in the reconciliation console. Timestamps are ISO 8601 in UTC. */
export const sessionSchema = z.object({
  /** Name of the token, as shown in the trail of actions. */
  name: z.string(),
  /** What the session permits in addition to reading. */
  scopes: z.array(z.enum(['cases', 'sync', 'imports', 'rebuild', 'periods', 'money'])),
  environment: environmentSchema,
  /** IANA name of the business time zone, in which the console shows times. */
  zone: z.string(),
  /** When the session ends unless it is renewed. */
  idleEndsAt: z.iso.datetime(),
  /** When the session ends regardless of activity. */
  endsAt: z.iso.datetime(),
  /** Whether the program can also use the companion's money operations. */
  canMoveMoney: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;
