import { repaymentOf } from '@financing-checkout/contract/money';
import type { CompanionConfiguration } from '../../config/config.ts';
import { type Finding, ok, warning } from '@financing-checkout/kit/cli';

const SUBJECT = 'programmes';

/**
 * Checks the file of lenders' programmes: programmes that have ended, and amounts without payments.
 */
export function programmeFindings(
  { programmeFile: source }: Pick<CompanionConfiguration, 'programmeFile'>,
  now: number,
): Finding[] {
  if (source === undefined) {
    return [
      warning(
        SUBJECT,
        'pages show no financing message: FINANCING_PROGRAMMES_FILE is not set',
        'Set it to a file of the lenders’ programmes, if a page has <financing-message>.',
      ),
    ];
  }
  const { path, file } = source;
  const ended = file.programmes.filter(
    ({ validUntil }) => validUntil !== undefined && Date.parse(validUntil) < now,
  );
  const withoutPayments = file.programmes.filter(
    (programme) => repaymentOf(programme.amount.min, programme) === undefined,
  );
  const { length } = file.programmes;
  if (ended.length === length) {
    const reason =
      length === 0 ? `${path} has no programme` : `each programme of ${path} has ended`;
    return [
      warning(
        SUBJECT,
        `pages show no financing message: ${reason}`,
        'Fill the file from the lender’s sheet, or leave FINANCING_PROGRAMMES_FILE out.',
      ),
    ];
  }
  const current = length - ended.length;
  const words = current === 1 ? ['programme', 'is'] : ['programmes', 'are'];
  return [
    ok(SUBJECT, `${current} ${words[0]} of ${path} ${words[1]} published`),
    ...(ended.length > 0
      ? [
          warning(
            SUBJECT,
            `programmes that have ended: ${namesOf(ended)}`,
            'Ask the lender for the next ones, or remove them.',
          ),
        ]
      : []),
    ...(withoutPayments.length > 0
      ? [
          warning(
            SUBJECT,
            `programmes whose smallest amount is too small for the number of payments: ${namesOf(withoutPayments)}`,
            `Run "financing-companion programmes check ${path}", and raise amount.min.`,
          ),
        ]
      : []),
  ];
}

function namesOf(programmes: readonly { id: string }[]): string {
  return programmes.map(({ id }) => id).join(', ');
}
