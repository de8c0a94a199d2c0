import { z } from 'zod';
import { environmentSchema } from './outcome.ts';

/** Body of `POST /console/session`: a token of the API. */
export const sessionRequestSchema = z.strictObject({ token: z.string().min(1).max(1_024) });

/** A person's session in the console of reconciliation. Times are ISO 8601 in UTC. */
export const sessionSchema = z.object({
  /** Name of the token, which the trail of actions shows. */
  name: z.string(),
  /** What it permits in addition to reading. */
  scopes: z.array(z.enum(['cases', 'sync', 'imports', 'rebuild', 'money'])),
  environment: environmentSchema,
  /** IANA name of the business zone, in which the console shows times. */
  zone: z.string(),
  /** When it ends unless it is renewed. */
  idleEndsAt: z.iso.datetime(),
  /** When it ends in any case. */
  endsAt: z.iso.datetime(),
  /** Whether the program can also reach the companion's operations with money. */
  canMoveMoney: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;
