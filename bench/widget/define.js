// For its size alone: what a bundler makes of the entry that is not bundled yet.
import '@financing-checkout/widget/define';
