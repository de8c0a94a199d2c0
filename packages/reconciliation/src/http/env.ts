import { checkFields } from '@financing-checkout/contract';
import { createServing, type HttpVariables } from '@financing-checkout/kit/http';
import type { Scope } from '../config/tokens.ts';

/** Values that middleware passes to the routes. */
export interface Env {
  Variables: HttpVariables & { actor: string; scopes: readonly Scope[] };
}

export const { parseValue, serve } = createServing<Env>(checkFields);
