import type { ProblemCode } from '@financing-checkout/contract';
import type { z } from 'zod';
import type { Scope } from '../config/tokens.ts';

/** One operation of the API, as its document describes it, of the schemas that check it. */
export interface Operation {
  method: 'get' | 'post';
  /** As the router has it: `/orders/:orderKey`. */
  path: string;
  summary: string;
  description?: string;
  /** Scope of the token that it needs. */
  access: Scope | 'none';
  query?: { shape: Readonly<Record<string, z.ZodType>> };
  /** Headers beside Authorization, with their purpose. */
  headers?: Readonly<Record<string, string>>;
  body?: { contentTypes: readonly string[]; schema?: z.ZodType };
  /** Answer of the status, 200 unless it is said. */
  answer: { status?: number; contentTypes?: readonly string[]; schema?: z.ZodType };
  /** Problems beside those of every operation. */
  problems?: readonly ProblemCode[];
}
