/** An invalid field of a request: its path, and the reason without its value. */
export interface WrongField {
  path: string;
  message: string;
}

export interface ProblemExtras {
  /** What to do next. Never contains input. */
  detail?: string | undefined;
  /** Whether a retry is safe. @default false */
  retrySafe?: boolean | undefined;
  errors?: WrongField[] | undefined;
  /** Value of the Retry-After header, in seconds. */
  retryAfterSeconds?: number | undefined;
  /** Value of the Allow header: the methods of the path, separated by commas. */
  allow?: string | undefined;
}

/** Ends a request with a problem (RFC 9457). */
export class ProblemError<
  Code extends string = string,
  Extras extends ProblemExtras = ProblemExtras,
> extends Error {
  override readonly name = 'ProblemError';
  readonly code: Code;
  readonly extras: Extras;

  constructor(code: Code, extras?: Extras) {
    super(code);
    this.code = code;
    this.extras = extras ?? ({} as Extras);
  }
}
