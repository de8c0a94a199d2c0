import { css, sheetAdopter } from './sheet.ts';

/** Styles needed only during an attempt: the lender's page, a slow page, and the icons of notices. */
export const adoptAttemptStyles = sheetAdopter(css`
  /* A hosted page without a background expects a white one. */
  iframe {
    display: block;
    inline-size: 100%;
    block-size: 100%;
    border: 0;
    outline: none;
    background: #fff;
    color-scheme: light;
  }
  .slow {
    display: grid;
    place-content: safe center center;
    grid-template-columns: minmax(auto, 20em);
    gap: 1em;
    padding: 2em;
    overflow: auto;
    text-align: center;
  }
  .silent {
    grid-row: 2;
    gap: 0.75em;
    padding: 1em;
    border-block-start: 1px solid var(--_line);
  }
  section > svg {
    color: var(--_muted);
  }
  section:is(.approved, .confirming, .checking) > svg {
    color: var(--_accent);
  }
  .approved circle {
    fill: var(--_accent);
  }
  .approved path {
    stroke: var(--_on-accent);
  }
  @media (forced-colors: active) {
    section > svg,
    .approved path {
      color: CanvasText !important;
      stroke: CanvasText;
    }
    .approved circle {
      fill: none;
    }
  }
`);
