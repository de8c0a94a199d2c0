import type { FieldError, ProblemCode } from '@financing-checkout/contract/storefront';
import * as http from '@financing-checkout/kit/http';

/** Optional details of a problem. */
export interface ProblemExtras extends http.ProblemExtras {
  errors?: FieldError[] | undefined;
  /** Facts from the detail, without shoppers' personal data. */
  parameters?: Readonly<Record<string, string>> | undefined;
  /** The ID that the financing service gave its response. */
  serviceRequestId?: string | undefined;
  /** Base URL of the writing process, for the Financing-Leader header. */
  leader?: string | undefined;
}

/** Ends a request with a problem that the contract defines (RFC 9457). */
export type ProblemError = http.ProblemError<ProblemCode, ProblemExtras>;
export const ProblemError: new (code: ProblemCode, extras?: ProblemExtras) => ProblemError =
  http.ProblemError;
