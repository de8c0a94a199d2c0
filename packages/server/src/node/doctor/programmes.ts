import { repaymentOf } from '@financing-checkout/contract';
import type { CompanionConfiguration } from '../../config/config.ts';
import { termsOf } from '../../programmes/terms.ts';
import { type Finding, ok, warning } from './finding.ts';

const SUBJECT = 'programmes';

/** Reports the file of lenders' programmes: programmes that have ended, and amounts without payments. */
export function programmeFindings(
  { programmes: source }: Pick<CompanionConfiguration, 'programmes'>,
  now: number,
): Finding[] {
  if (source === undefined) return [];
  const { path, file } = source;
  const ended = file.programmes.filter(
    ({ validUntil }) => validUntil !== undefined && Date.parse(validUntil) < now,
  );
  const withoutPayments = file.programmes.filter(
    (programme) => repaymentOf(programme.amount.min, termsOf(programme)) === undefined,
  );
  const current = file.programmes.length - ended.length;
  return [
    current > 0
      ? ok(SUBJECT, `${current} of ${path} are published`)
      : warning(
          SUBJECT,
          `pages show no financing message: ${path} has no programme that has not ended`,
          'Fill it from the lender’s sheet, or leave FINANCING_PROGRAMMES_FILE out.',
        ),
    ...(current > 0 && ended.length > 0
      ? [
          warning(
            SUBJECT,
            `${ended.length} of ${path} have ended: ${namesOf(ended)}`,
            'Ask the lender for the next ones, or remove them.',
          ),
        ]
      : []),
    ...(withoutPayments.length > 0
      ? [
          warning(
            SUBJECT,
            `the smallest amount is too small for the number of payments: ${namesOf(withoutPayments)}`,
            `Run "financing-companion programmes check ${path}", and raise amount.min.`,
          ),
        ]
      : []),
  ];
}

function namesOf(programmes: readonly { id: string }[]): string {
  return programmes.map(({ id }) => id).join(', ');
}
