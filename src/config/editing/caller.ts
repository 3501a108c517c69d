/** Who asks for a change of the configuration. */
export interface Caller {
  /** The revision that the caller has read; null to skip the check. */
  readonly revision: string | null;
  /** Whether the caller may change connections. */
  readonly isAdmin: boolean;
}
