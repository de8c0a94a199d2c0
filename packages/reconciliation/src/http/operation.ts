import type { ProblemCode } from '@financing-checkout/contract';
import type { z } from 'zod';
import type { Scope } from '../config/tokens.ts';

/** One operation of the API, for its document, with the schemas that validate it. */
export interface Operation {
  method: 'get' | 'post' | 'delete';
  /** In the router's form: `/orders/:orderKey`. */
  path: string;
  summary: string;
  description?: string;
  /** Required scope of the token. */
  access: Scope | 'none';
  /** Whether only the console's cookie is accepted, no token. */
  isOfSession?: boolean;
  query?: { shape: Readonly<Record<string, z.ZodType>> };
  /** Headers in addition to Authorization, with their purpose. */
  headers?: Readonly<Record<string, string>>;
  body?: { contentTypes: readonly string[]; schema?: z.ZodType };
  /** Response of the status, 200 by default. No content types: without a body. */
  answer: { status?: number; contentTypes?: readonly string[]; schema?: z.ZodType };
  /** Problems in addition to those of every operation. */
  problems?: readonly ProblemCode[];
}
