import { css } from './sheet.ts';

/** A button beside the one that is meant to be pressed. */
export const quiet = css`
  .button.quiet {
    border-color: var(--_line);
    background: none;
    color: var(--_text);
  }
  .button.quiet:hover {
    border-color: var(--_muted);
  }
`;
