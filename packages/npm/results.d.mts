// Made of docs/schema by lab/clients/library/results.js. Do not edit.

/**
 * The result of a function of the library.
 */
export type AnyResult = HelloResult | CheckResult | NormalizeResult | RestoreResult | ExplainErrorResult;
/**
 * The judgement of one tool for one target.
 */
export type ResultLine = Result & Result1;
export type Result =
  | {
      target?: "advice";
      dialect?: "";
      raw?: never;
      normalized?: never;
    }
  | {
      target?: {
        [k: string]: unknown;
      };
      dialect?: {
        [k: string]: unknown;
      };
      advice?: never;
      tokens?: never;
    };
/**
 * The version of this format.
 */
export type Version = 1;
export type Target =
  | {
      [k: string]: unknown;
    }
  | Dialect;
export type Dialect = string;
export type Target1 = string;
/**
 * Whether the provider takes the tool.
 */
export type Verdict = "accepted" | "rejected";
/**
 * What a verdict rests on: live, the provider answered just now; recorded, it answered this very declaration; reported, a public thread shows declaration and answer; predicted, a model of the provider says so.
 */
export type Evidence = "live" | "recorded" | "reported" | "predicted";
/**
 * What is lost: exact, nothing; widens, the schema accepts more; closes, an object no longer accepts properties that it neither lists nor mentions; narrows, it accepts less; widens_closes and both, two of them.
 */
export type Loss = "exact" | "widens" | "closes" | "widens_closes" | "narrows" | "both";
/**
 * The single violations; empty where the provider accepts. Where there are more than 2 MB of them, the last one says how many it stands for.
 */
export type Findings = Finding[];
/**
 * What the surface accepts and does not hand to the model, or does not enforce, as far as it is known. Left out where nothing is known, and for a refusal.
 *
 * @minItems 1
 */
export type Ignored = [Finding, ...Finding[]];
/**
 * The first 20 of the others, in words; left out where there are none.
 *
 * @minItems 1
 * @maxItems 20
 */
export type Unseen =
  | [string]
  | [string, string]
  | [string, string, string]
  | [string, string, string, string]
  | [string, string, string, string, string]
  | [string, string, string, string, string, string]
  | [string, string, string, string, string, string, string]
  | [string, string, string, string, string, string, string, string]
  | [string, string, string, string, string, string, string, string, string]
  | [string, string, string, string, string, string, string, string, string, string]
  | [string, string, string, string, string, string, string, string, string, string, string]
  | [string, string, string, string, string, string, string, string, string, string, string, string]
  | [string, string, string, string, string, string, string, string, string, string, string, string, string]
  | [string, string, string, string, string, string, string, string, string, string, string, string, string, string]
  | [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string
    ]
  | [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string
    ]
  | [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string
    ]
  | [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string
    ]
  | [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string
    ]
  | [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string
    ];
export type Count = number;
/**
 * A JSON Pointer.
 */
export type Pointer = string;

export interface HelloResult {
  protocol: 1;
  version: string;
  targets: {
    /**
     * The name of the target, or of a dialect that has none.
     */
    name: string;
    /**
     * The surface, such as openai/chat-strict.
     */
    dialect: string;
    doc: string;
    /**
     * Whether normalize takes the target.
     */
    normalizes: boolean;
    /**
     * Whether the target takes the schema of an answer, and no tools.
     */
    answers: boolean;
  }[];
}
/**
 * The result of check and of advise.
 */
export interface CheckResult {
  /**
   * Result lines. The last one has the summary.
   */
  lines: (ResultLine | SummaryLine)[];
  /**
   * Whether the command would exit with 0.
   */
  conforms: boolean;
}
export interface Result1 {
  version: Version;
  /**
   * The id of the tool where the input has one, or else empty.
   */
  id: string;
  /**
   * The name of the tool; empty where it could not be read, and on a line about the request.
   */
  tool: string;
  /**
   * The file as it was given, - for standard input.
   */
  source: string;
  /**
   * The line of the file, after decompression, on which the tool begins, counted from 1; 0 where the file could not be read at all.
   */
  line: number;
  /**
   * The target, such as gemini or openai-strict; for a surface that no target serves, in the results of fixtures, its dialect.
   */
  target: Target & Target1;
  /**
   * The surface that normalized was judged on. A tool that a strict target sends as not strict is judged on the surface that is not strict. Empty for advice.
   */
  dialect: Dialect | "";
  /**
   * The id of the fixture; in the results of fixtures alone.
   */
  fixture?: string;
  /**
   * Which side of the fixture was judged.
   */
  side?: "raw" | "normalized";
  /**
   * The normalizer that a fixture was run through.
   */
  normalizer?: string;
  /**
   * response: the schema of a model's answer takes the place of a tool, and its name is that of its form, or response. conversation: a whole request is judged, its messages, results and parameters; its tools have lines of their own. call: the answer of a server to a call of the tool is judged, or to a request about a prompt or a resource, with whose method the name of the tool begins, and the pointers of findings lead into the result. Left out for a tool.
   */
  subject?: "response" | "conversation" | "call";
  /**
   * The arguments of a call, as JSON, or no arguments.
   */
  arguments?: string;
  /**
   * How the arguments of a call were made.
   */
  how?: string;
  /**
   * The time until the answer to a call, in milliseconds. Left out if it is less than one.
   */
  took_ms?: number;
  /**
   * The API to which a whole request goes.
   */
  api?:
    | "generateContent"
    | "v1internal:generateContent"
    | "chat/completions"
    | "responses"
    | "messages"
    | "converse"
    | "api/chat"
    | "v0/publish";
  /**
   * The number of messages of a whole request.
   */
  turns?: number;
  /**
   * How the recorded answer to a whole request and the rules differ, in words. Left out where they agree, or where there is no answer.
   */
  differs?: string;
  /**
   * What of a whole request no source tells, in sentences. Left out where there is nothing.
   *
   * @minItems 1
   */
  unknown?: [string, ...string[]];
  /**
   * normalized: the normalized tool had to be accepted. Left out if the tool as given had to be.
   */
  judged?: "normalized";
  raw?: Answer;
  normalized?: Normalized;
  /**
   * Why the surface has no normalized tool: the tool as given is judged with --normalized, too. Left out elsewhere.
   */
  as_given?: string;
  /**
   * The outcome: pass; known, a failure that a baseline, toolproof.json or a fixture lets pass; inconclusive, no verdict, such as when a server did not start; fail; error, something could not be read or run.
   */
  status: "pass" | "known" | "inconclusive" | "fail" | "error" | "not_applicable";
  /**
   * The tools of a list are also judged in one request, as they would be sent. Where the provider accepts each alone and refuses the request, the tool that it is about has the findings, and this is the number of tools in the request. What the tools exceed together is about none of them: a line of its own says it, with an empty tool. Left out elsewhere.
   */
  together?: number;
  /**
   * What is unclear in the tool although no surface refuses it: of the target advice alone, and left out where there is none.
   *
   * @minItems 1
   */
  advice?: [Finding, ...Finding[]];
  /**
   * About how many tokens of o200k_base the declaration of the tool has: an estimate, of the target advice alone.
   */
  tokens?: number;
  /**
   * The declaration that the provider makes of the normalized tool by itself, as its answer echoes it. Left out where it leaves it as it is.
   */
  understood?: {};
  /**
   * Why there is no verdict, or why a fixture fails; often empty. Where it begins with line:column: that is the place in the source.
   */
  error: string;
}
/**
 * What the provider says to the tool as it was given, or to the request on a line about it. Left out if there is no verdict, such as when a server did not start.
 */
export interface Answer {
  verdict: Verdict;
  evidence: Evidence;
  findings: Findings;
  ignored?: Ignored;
  seen?: Seen;
  request?: Request;
}
/**
 * One violation, one part that is ignored, or one piece of advice.
 */
export interface Finding {
  /**
   * The rule of the dialect; verify explain DIALECT/RULE documents it, and verify explain advice/RULE a rule of advice. Empty for a recorded refusal that no rule explains.
   */
  rule: string;
  /**
   * critical, the request fails or the structure of an argument is lost; medium, a constraint or a name is lost; low, the surface passes over the part; advice, no surface refuses it, but a model may call the tool wrongly; note, advice that most models do well without.
   */
  severity: "critical" | "medium" | "low" | "advice" | "note";
  /**
   * What the provider says, in its own words; of a part that is ignored, what becomes of it; of advice, what is unclear and what to write.
   */
  message: string;
  /**
   * A pointer to the place: into the given tool under raw, into the normalized one under normalized.
   */
  at: string;
  /**
   * The line in the source, counted from 1; 0 where it is not known.
   */
  line: number;
  /**
   * The column in the source, counted in bytes from 1; 0 where it is not known.
   */
  col: number;
  /**
   * Further places of which a piece of advice is true. Left out elsewhere.
   *
   * @minItems 1
   */
  also?: [string, ...string[]];
  /**
   * Set for advice about what makes a wrong call likely. Left out elsewhere.
   */
  grave?: true;
  /**
   * The dialect that ignores the part, where a tool goes to several. Left out where it is the dialect of the result.
   */
  surface?: string;
  /**
   * Set where the surface does not report this yet: a model predicts that it does once the other findings are mended, on whatever evidence the verdict rests. Left out elsewhere.
   */
  behind?: true;
  /**
   * How many tools of the list are lost, this one among them: a client of the Model Context Protocol refuses the whole list for one tool. Left out elsewhere.
   */
  lost?: number;
  /**
   * The first day on which the surface no longer refuses this, where the refusal was pasted and a rule of the past explains it. Left out elsewhere.
   */
  until?: string;
  /**
   * What is known of the rule that refuses a pasted request: what it demands, since when, and of which models. Left out elsewhere.
   */
  about?: string;
  /**
   * What to write in the source of the tool: the edit was applied, and judged on every surface that judges the tool; an edit of advice was not. Left out where no edit helps, and in runs of more than 1,000 tools or 50 servers.
   */
  answers?: Change[];
  /**
   * The member of a declaration, such as parametersJsonSchema, in which every surface that refuses the place takes the schema as it is. Left out where there is none.
   */
  sent_as?: string;
  /**
   * The target whose normalizer makes a tool that the surface takes. Left out where there is none.
   */
  rewritten_for?: string;
  /**
   * Why that normalizer sends the tool with strict false. Left out where it does not.
   */
  not_strict?: string;
  /**
   * What to send instead, in words, in a finding about a whole request. Left out elsewhere.
   */
  instead?: string;
  /**
   * The severity that toolproof.json gives the finding: a warning does not fail. Left out elsewhere.
   */
  level?: "warning";
  /**
   * Why toolproof.json lets the finding pass, and the last day on which it does. Left out elsewhere.
   */
  waived?: {
    reason: string;
    until: string;
  };
}
/**
 * One rewrite.
 */
export interface Change {
  /**
   * The rewrite rule; verify explain RULE documents it.
   */
  rule: string;
  /**
   * The schema that was rewritten, in the given tool.
   */
  from: string;
  /**
   * The schema that came of it, in the normalized tool.
   */
  at: string;
  loss: Loss;
  /**
   * Whether the way back, from the model's arguments to the tool's, undoes the change.
   */
  restored: boolean;
  /**
   * What is lost: exact, nothing; widens, the schema accepts more; closes, an object no longer accepts properties that it neither lists nor mentions; narrows, it accepts less; widens_closes and both, two of them.
   */
  remains?: "exact" | "widens" | "closes" | "widens_closes" | "narrows" | "both";
  /**
   * What was replaced. Left out where there was nothing, or too much to show.
   */
  before?: {
    [k: string]: unknown;
  };
  /**
   * What stands there now. Left out likewise.
   */
  after?: {
    [k: string]: unknown;
  };
  /**
   * What an edit of a source loses, in words. Left out where it loses nothing, and for the changes of a normalizer.
   */
  loses?: string;
  /**
   * What to write instead of an edit in the program that makes the source, such as z.enum of Zod. Left out where that is not known.
   */
  generator?: string;
  /**
   * Whether the edit of a source cures only a tool on which the other edits were made. Left out elsewhere.
   */
  then?: true;
}
/**
 * How much of what a model accepts recordings show. A construct is a keyword, the type of the values and the position. It is seen where an accepted recording of the surface shows it, which counts on the day and for the model. In the answer that the status rests on, where it is predicted and passes.
 */
export interface Seen {
  /**
   * The constructs of the declaration.
   */
  constructs: number;
  /**
   * Those that are seen.
   */
  accepted: number;
  unseen?: Unseen;
}
/**
 * The body of the request that was judged, as the surface takes it; MODEL stands for the name of a model. With --requests alone; left out where the tools of a fixture go in two requests.
 */
export interface Request {}
/**
 * The tool after rewriting. Left out where there is none.
 */
export interface Normalized {
  verdict: Verdict;
  evidence: Evidence;
  findings: Findings;
  ignored?: Ignored;
  seen?: Seen;
  request?: Request;
  /**
   * The normalized tool.
   */
  tool: {
    /**
     * Its name.
     */
    name: string;
    /**
     * What it does.
     */
    description?: string;
    /**
     * The schema of its arguments, in the target's language.
     */
    parameters?: {
      [k: string]: unknown;
    };
    /**
     * This and what follows is what else an MCP server publishes; of targets that publish tools.
     */
    title?: string;
    icons?: unknown[];
    outputSchema?: {};
    annotations?: {};
    execution?: {};
    /**
     * Of Google's function declarations.
     */
    behavior?: {
      [k: string]: unknown;
    };
    /**
     * Of Google's function declarations.
     */
    response?: {
      [k: string]: unknown;
    };
    /**
     * Of Google's function declarations.
     */
    responseJsonSchema?: {
      [k: string]: unknown;
    };
    /**
     * Of Google's function declarations.
     */
    response_json_schema?: {
      [k: string]: unknown;
    };
    /**
     * Of Anthropic's tools.
     */
    cache_control?: {
      [k: string]: unknown;
    };
    /**
     * Of Anthropic's tools and of functions of OpenAI's Responses.
     */
    defer_loading?: {
      [k: string]: unknown;
    };
    /**
     * Of Anthropic's tools and of functions of OpenAI's Responses.
     */
    allowed_callers?: {
      [k: string]: unknown;
    };
    /**
     * Of Anthropic's tools.
     */
    input_examples?: {
      [k: string]: unknown;
    };
    /**
     * Of Anthropic's tools.
     */
    eager_input_streaming?: {
      [k: string]: unknown;
    };
    /**
     * Of functions of OpenAI's Responses.
     */
    output_schema?: {
      [k: string]: unknown;
    };
    /**
     * Of functions of OpenAI's Responses.
     */
    async?: {
      [k: string]: unknown;
    };
    _meta?: {};
  };
  /**
   * Whether the tool is to be sent with strict true.
   */
  strict: boolean;
  /**
   * Why a strict target sends the tool as one that is not strict, or else empty.
   */
  fallback: string;
  /**
   * What is lost: exact, nothing; widens, the schema accepts more; closes, an object no longer accepts properties that it neither lists nor mentions; narrows, it accepts less; widens_closes and both, two of them.
   */
  loss: "exact" | "widens" | "closes" | "widens_closes" | "narrows" | "both";
  /**
   * Every rewrite, in the order in which they were made.
   */
  changes: Change[];
  /**
   * Set where a line of 16 MB has no room for the tool, of which only the name is shown. Left out elsewhere.
   */
  cut?: true;
  /**
   * How many further changes there are that a line of 16 MB has no room for. Left out where there are none.
   */
  more?: number;
}
/**
 * The last line.
 */
export interface SummaryLine {
  version: Version;
  summary: Summary;
}
/**
 * The counts of the run.
 */
export interface Summary {
  /**
   * The part i/n of a run that the results are of. Left out for a whole run.
   */
  shard?: string;
  /**
   * The constructs of the tools by surface, so that parts can be joined; only in a part.
   */
  shown?: {
    [k: string]: {
      /**
       * Those that recordings show.
       */
      accepted?: string[];
      /**
       * Those that they do not show.
       */
      missing?: string[];
    };
  };
  /**
   * Tools, or fixtures, that were found.
   */
  tools: number;
  /**
   * Those that could be read.
   */
  read: number;
  /**
   * Those with a verdict for every target.
   */
  judged: number;
  /**
   * The requests that were judged as wholes. Left out where there are none.
   */
  conversations?: number;
  /**
   * The calls of tools that were answered and judged. Left out where there are none.
   */
  calls?: number;
  /**
   * The servers of the configurations of clients; with verify mcp --config and --installed alone.
   */
  servers?: {
    /**
     * Those that are not disabled.
     */
    asked: number;
    /**
     * Those that gave their tools.
     */
    answered: number;
    /**
     * Those that the client does not start.
     */
    disabled: number;
    /**
     * What becomes of the tools of all servers together with each agent.
     */
    agents?: {
      name: string;
      /**
       * The API that the agent sends the tools to; only if the agent was measured.
       */
      surface?: string;
      /**
       * The model there.
       */
      model?: string;
      tools: Count;
      /**
       * The agent's own tools in the same request.
       */
      own?: number;
      /**
       * An estimate of the size of the servers' tools in a request.
       */
      tokens?: number;
      /**
       * How many tokens the model takes, if a dated refusal shows that.
       */
      window?: number;
      /**
       * Whether the agent, as it is installed, sends the names alone and lets the model search for the tools; the other members are about the agent without that.
       */
      searches?: boolean;
      /**
       * The tools that the agent does not send because of their names or their number.
       */
      lost: number;
      /**
       * Whether a request with all tools is predicted to be refused.
       */
      refused: boolean;
      /**
       * The server without which the agent has the fewest problems; only if one makes a difference.
       */
      leave_out?: string;
      problems: {
        kind: "same_name" | "reserved_name" | "too_many_tools" | "too_many_tokens" | "refused";
        /**
         * The server of the tool; not of a problem of all tools.
         */
        server?: string;
        /**
         * The tool; not of a problem of all tools of a server.
         */
        tool?: string;
        /**
         * The name that the agent gives to the tool.
         */
        sent?: string;
        /**
         * The server of the other tool with that name.
         */
        with?: string;
        /**
         * The server with which the problem begins, in the order of the configuration.
         */
        from: string;
        /**
         * How many tools are too many.
         */
        over?: number;
        says: string;
        /**
         * The surface that is predicted to refuse.
         */
        dialect?: string;
        rule?: string;
        /**
         * The address of the evidence of a number.
         */
        source?: string;
      }[];
      /**
       * The servers that the agent starts, in the order of the configuration, with what each adds.
       */
      servers: {
        name: string;
        tools: Count;
        /**
         * An estimate.
         */
        tokens?: number;
        /**
         * Those of the tools that the agent does not send.
         */
        lost?: number;
        /**
         * The kinds of the problems that begin with the server.
         */
        adds?: string[];
      }[];
    }[];
    /**
     * The servers that listed something else when they were started again.
     */
    changing?: {
      /**
       * The place of the server in the configuration.
       */
      place: number;
      server: string;
      /**
       * The same tools in another order, other tools, or tools of the same names that differ.
       */
      change: "order" | "tools" | "texts";
      says: string;
    }[];
    /**
     * The tools of the servers, by which verify report judges those of all parts together; only in the summary of a part.
     */
    lists?: {
      /**
       * The place of the server in the configuration.
       */
      place: number;
      server: string;
      /**
       * The clients that start the server; any without it.
       */
      clients?: string[];
      tools: {
        name: string;
        /**
         * An estimate of the size in the requests of each agent, by name.
         */
        tokens: {
          [k: string]: Count;
        };
      }[];
    }[];
    /**
     * The day whose rules judge the lists, if it is not today; only in the summary of a part.
     */
    as_of?: string;
  };
  /**
   * The counts by target. Those of advice count its lines.
   */
  targets: {
    [k: string]: Counts;
  };
  /**
   * The verdicts by what they rest on.
   */
  evidence: {
    [k: string]: Count;
  };
  /**
   * How much of the predicted acceptances recordings show, by surface. Of the lines of several runs it is that of the run with the most constructs.
   */
  seen?: {
    [k: string]: {
      /**
       * The constructs of all tools, each once.
       */
      constructs: number;
      /**
       * Those that are seen.
       */
      accepted: number;
      unseen?: Unseen;
      /**
       * The tools that are predicted to be accepted.
       */
      tools?: number;
      /**
       * Those of which every construct is seen.
       */
      whole?: number;
      /**
       * The constructs of each tool, all added up.
       */
      uses?: number;
      /**
       * Those of them that are seen.
       */
      uses_accepted?: number;
    };
  };
  /**
   * Requests of several tools that are refused for what the tools exceed together, once for each target; left out where none is.
   */
  requests_refused?: number;
  /**
   * The entries of lists of tools that declare no schema: tools that the provider runs itself, and tools that take free text. Left out where there are none.
   */
  not_judged?: {
    count: number;
    /**
     * Their types, each once, such as web_search.
     */
    kinds: string[];
  };
  /**
   * The month of the rules that toolproof.json requires; left out where it requires all.
   */
  requirements?: string;
  /**
   * Findings that toolproof.json ignores; left out where it ignores none.
   */
  waived?: number;
  /**
   * Findings that toolproof.json lowers to warnings; left out where there are none.
   */
  warnings?: number;
  /**
   * The counts of the advice; left out where nobody wanted any.
   */
  advice?: {
    /**
     * The pieces of advice that are no notes and that toolproof.json does not ignore.
     */
    findings: number;
    /**
     * The notes that it does not ignore; left out where there are none.
     */
    notes?: number;
    /**
     * The tools that have some.
     */
    tools: number;
    /**
     * The tools that were looked at.
     */
    of: number;
    /**
     * About how many tokens the declarations of the tools have together.
     */
    tokens: number;
    /**
     * The three tools with the most tokens, the heaviest first.
     *
     * @minItems 1
     * @maxItems 3
     */
    heaviest?:
      | [
          {
            tool: string;
            tokens: Count;
          }
        ]
      | [
          {
            tool: string;
            tokens: Count;
          },
          {
            tool: string;
            tokens: Count;
          }
        ]
      | [
          {
            tool: string;
            tokens: Count;
          },
          {
            tool: string;
            tokens: Count;
          },
          {
            tool: string;
            tokens: Count;
          }
        ];
    /**
     * About how many tokens the normalized declarations have together, by target; of the targets that were asked for.
     */
    forms?: {
      [k: string]: Count;
    };
  };
  /**
   * Ignores of toolproof.json that excuse nothing: expired ones with findings, and unused ones; left out where there are none.
   *
   * @minItems 1
   */
  ignores?: [
    {
      problem: "expired" | "unused";
      /**
       * The toolproof.json.
       */
      file: string;
      /**
       * The line of the ignore in it, counted from 1.
       */
      line: number;
      /**
       * A pointer to the ignore in it.
       */
      at: string;
      tool: string;
      rule: string;
      until: string;
    },
    ...{
      problem: "expired" | "unused";
      /**
       * The toolproof.json.
       */
      file: string;
      /**
       * The line of the ignore in it, counted from 1.
       */
      line: number;
      /**
       * A pointer to the ignore in it.
       */
      at: string;
      tool: string;
      rule: string;
      until: string;
    }[]
  ];
  /**
   * Recordings that were held against the models; left out where none were.
   */
  recordings?: number;
  /**
   * Those of recordings that a model answers otherwise; left out where there are none.
   */
  disagreements?: number;
  /**
   * Whether nothing failed, everything was read and something was judged.
   */
  conforms: boolean;
}
/**
 * The counts of one target.
 */
export interface Counts {
  /**
   * Accepted as given.
   */
  raw_accepted: number;
  /**
   * Refused as given.
   */
  raw_rejected: number;
  /**
   * Accepted after rewriting.
   */
  accepted: number;
  /**
   * Refused after rewriting.
   */
  rejected: number;
  /**
   * Sent as not strict by a strict target.
   */
  fallbacks: number;
  /**
   * Rewritten without loss.
   */
  exact: number;
  /**
   * Rewritten to accept more.
   */
  widens: number;
  /**
   * Rewritten to accept less.
   */
  narrows: number;
  /**
   * Rewritten to accept more and less.
   */
  both: number;
  /**
   * Rewritten to accept no properties that an object neither lists nor mentions; left out where there is none.
   */
  closes?: number;
  /**
   * Rewritten so, and to accept more; left out where there is none.
   */
  widens_closes?: number;
  /**
   * Results of status pass.
   */
  passed: number;
  /**
   * Results of status known.
   */
  known: number;
  /**
   * Results of status known that toolproof.json lets pass, in whole or in part; left out where there are none.
   */
  excused?: number;
  /**
   * Results of status fail.
   */
  failed: number;
  /**
   * Results of status inconclusive.
   */
  inconclusive: number;
  /**
   * Results of status error.
   */
  errors: number;
  /**
   * Tools that the surface has no normalized form of, so that they are judged as given; left out where there is none.
   */
  as_given?: number;
  /**
   * Accepted as given, although the surface ignores a part; left out where there is none.
   */
  raw_ignored?: number;
  /**
   * Accepted after rewriting, although the surface ignores a part; left out where there is none.
   */
  ignored?: number;
}
export interface NormalizeResult {
  /**
   * Names the tools for restore. Equal requests have equal sets.
   */
  set: string;
  /**
   * The surface of the target, such as openai/chat-strict.
   */
  dialect: string;
  /**
   * An element for each tool, in the order of the input.
   */
  tools: {
    /**
     * The name of the tool as given.
     */
    given: string;
    /**
     * The name that models call.
     */
    name?: string;
    /**
     * Why there is no such form. The other members say nothing then.
     */
    error?: string;
    /**
     * The entry in the list of tools of a request; with response, the members of the request that hold the schema.
     */
    wire?: {};
    /**
     * Set for the schema of an answer.
     */
    response?: boolean;
    /**
     * The tool with name, description and parameters.
     */
    tool?: {};
    /**
     * Whether the tool is sent with strict true.
     */
    strict: boolean;
    /**
     * Why the tool of a strict target is sent with strict false.
     */
    fallback?: string;
    /**
     * Why the tool is not rewritten.
     */
    as_given?: string;
    /**
     * What all changes together lose although calls are restored: exact, or some of widens, narrows, closes.
     */
    loss: string;
    /**
     * Each change, with its place and its loss.
     */
    changes: Change[];
    /**
     * The rules whose changes have to be undone in calls, which restore does.
     */
    restores?: string[];
  }[];
}
export interface RestoreResult {
  /**
   * The name of the tool as given.
   */
  name: string;
  /**
   * The arguments for the tool as given.
   */
  arguments: {
    [k: string]: unknown;
  };
  /**
   * Whether the tool as given accepts them, as far as they were checked.
   */
  valid: boolean;
  /**
   * Why it does not.
   */
  problems?: {
    at: Pointer;
    message: string;
  }[];
  /**
   * The same as a text for the model, so that it tries again.
   */
  message?: string;
  /**
   * Why the arguments, or a part of them, were not validated.
   */
  unchecked?: string;
}
export interface ExplainErrorResult {
  /**
   * The surface that answers in these words.
   */
  dialect?: string;
  /**
   * Without tools: the rules that refuse in these words.
   */
  rules?: {
    /**
     * The rule with its dialect, such as openai/chat/array_items.
     */
    rule: string;
    about: string;
    /**
     * Set if the words are only like those of the message.
     */
    alike?: boolean;
  }[];
  /**
   * With tools: result lines of those that the message means, with what to write instead. The last one has the summary.
   */
  lines?: (ResultLine | SummaryLine)[];
  /**
   * Places that the message names and the tools lack.
   */
  missing?: string[];
}
