// Made of docs/schema/data.schema.json by lab/clients/library/data.js. Do not edit.

export type Day = string;
/**
 * What a surface does: accept; refuse the whole request; ignore, which is to accept and neither enforce nor pass on; rewrite, which is to accept and pass on as something else; or nobody knows.
 */
export type Support = "accepted" | "refused" | "ignored" | "rewritten" | "unknown";
export type Grade = "live" | "recorded" | "reported" | "predicted";

/**
 * data.json of the package toolproof-data: what is known of LLM tool schemas on a day. The version is semantic: its first number grows if a member goes away or changes its meaning, or the name of a surface, construct, client, limit or rewrite goes away; its second if a member is added; its third is the day in digits, so that other verdicts, evidence and further names make a new third number alone.
 */
export interface Data {
  /**
   * The version of the package.
   */
  version: string;
  /**
   * The day that the data is for.
   */
  day: string;
  constructs: Construct[];
  surfaces: Surface[];
  clients: Client[];
  rewrites: Rewrite[];
  requirements: Requirements[];
}
/**
 * A keyword of JSON Schema or OpenAPI as authors use it, or one form of a keyword or of a whole schema.
 */
export interface Construct {
  /**
   * The keyword, such as oneOf, or words for the form, such as enum of integers.
   */
  name: string;
  /**
   * The keyword of a form. A form of a whole schema has none.
   */
  keyword?: string;
  /**
   * The schema of a tool's parameters with the construct.
   */
  example: {
    [k: string]: unknown;
  };
}
/**
 * A field of a provider's API that takes a schema, in one mode.
 */
export interface Surface {
  /**
   * Such as gemini/parameters. The part before the slash is the service.
   */
  name: string;
  /**
   * One line.
   */
  doc: string;
  /**
   * What the schemas describe. A directory of servers reads annotations, and no schema.
   */
  subject: "arguments" | "answer" | "annotations";
  /**
   * Whether functions are declared as strict.
   */
  strict?: boolean;
  /**
   * The method that the surface belongs to.
   */
  api?: string;
  /**
   * Those of software that users run themselves, the oldest first.
   */
  releases?: Release[];
  /**
   * By the name of a construct, statements: the first about today, each further one about the time before.
   */
  support: {
    [k: string]: Statement[];
  };
  limits: Limit[];
  rules: Rule[];
}
export interface Release {
  name: string;
  day: Day;
}
/**
 * What a surface does with a construct for some time.
 */
export interface Statement {
  support: Support;
  /**
   * A limitation: not always so; seen on values of another type or at another place; known from a rule, and not from an answer.
   */
  note?: "not always" | "seen in another form" | "as a rule says";
  /**
   * The first day on which it is known to hold. Without it: since ever, as far as is known.
   */
  since?: string;
  /**
   * The first day on which it no longer holds. Without it: it still does.
   */
  until?: string;
  /**
   * The best evidence. Without it: the support is unknown.
   */
  grade?: "live" | "recorded" | "reported" | "predicted";
  /**
   * The rule of the surface that says so.
   */
  rule?: string;
  /**
   * Those with which the surface refuses the example, as its model predicts them.
   */
  words?: string;
  /**
   * The newest answers that show it, or what the rule is known from.
   */
  sources?: Source[];
}
/**
 * Where an answer, or a text, is published.
 */
export interface Source {
  /**
   * Of an answer. A text has none.
   */
  outcome?: "accepted" | "refused";
  day?: Day;
  grade?: Grade;
  /**
   * That which answered, if it is another.
   */
  surface?: string;
  /**
   * The language model that was asked.
   */
  model?: string;
  /**
   * An address, or the name of the source.
   */
  where: string;
  /**
   * Those of the provider.
   */
  words?: string;
}
/**
 * How much a surface takes of something today, as its model says. It is measured on simple tools, whose other sizes may count too: the words tell.
 */
export interface Limit {
  /**
   * What is counted, such as tools in a request.
   */
  of: string;
  /**
   * The largest number that is taken.
   */
  most: number;
  /**
   * The rule that refuses one more.
   */
  rule: string;
  /**
   * The words in which it does.
   */
  words: string;
}
/**
 * One thing that a surface does. Where the surface has changed, two rules may have one name.
 */
export interface Rule {
  name: string;
  support: Support;
  title: string;
  text?: string;
  /**
   * The first day on which it is known to hold.
   */
  since?: string;
  /**
   * The first day on which it no longer does.
   */
  until?: string;
  /**
   * Patterns of the language models for which it holds; one that begins with ! excludes.
   */
  models?: string[];
  /**
   * What it is known from, and the answers that show it.
   */
  sources?: Source[];
}
/**
 * A program that passes the tools of MCP servers on to a language model.
 */
export interface Client {
  name: string;
  title: string;
  /**
   * The names that it gives itself in clientInfo.
   */
  introduces?: string[];
  measured?: Measured;
  /**
   * Why it was not run.
   */
  not_measured?: string;
  most_tools?: MostTools;
  /**
   * The names of its own tools.
   */
  tools?: string[];
}
/**
 * What was seen of a version of a client.
 */
export interface Measured {
  package: string;
  version: string;
  day: Day;
  /**
   * Those that it can send tools to, the usual one first.
   */
  apis: ("chat" | "responses" | "messages" | "gemini")[];
  /**
   * What stands before the name of each tool, with SERVER for the name of the server.
   */
  prefix?: string;
  names: ClientNames;
  /**
   * Its own tools in a request to its usual API.
   */
  own_tools?: number;
  /**
   * An estimate of their tokens, to the nearest hundred.
   */
  own_tokens?: number;
  /**
   * Names of servers of which it sends no tool.
   */
  reserved_servers?: string[];
  /**
   * What it does to tools, by API.
   */
  treatments: Treatment[];
  /**
   * Whether it, as it is installed, declares no tool of a server but lets the model search.
   */
  searches?: boolean;
  /**
   * Changes to every tool: predicates whose subject is the client.
   */
  habits?: string[];
  notes?: string[];
}
/**
 * What a client makes of the names of tools.
 */
export interface ClientNames {
  /**
   * The characters that stay besides ASCII letters and digits.
   */
  keeps?: string;
  /**
   * What any other character becomes. Without it all stay.
   */
  for?: string;
  /**
   * The number of characters after which a name is cut. Without it none is.
   */
  longest?: number;
  /**
   * Whether the middle is cut out.
   */
  cuts_middle?: boolean;
  /**
   * Whether a changed name ends in a hash.
   */
  hashes?: boolean;
  /**
   * That in which the tools are declared, with SERVER for the name of the server.
   */
  namespace?: string;
  /**
   * Whether it sends all tools that come to have one name, and not one of them.
   */
  sends_equal?: boolean;
  /**
   * The characters that the name of a server may have besides ASCII letters and digits: it sends no tool of another server. Without them it takes all.
   */
  servers?: string;
  /**
   * The order in which tools are sent: as the configuration and the servers list them, with the servers sorted by name, or all sorted by name. Left out where it is not known.
   */
  order?: "as_listed" | "by_server" | "by_name";
}
/**
 * What a client does to the tools that it sends to some APIs.
 */
export interface Treatment {
  apis: string[];
  /**
   * It sends no tool of any server.
   */
  sends_none?: boolean;
  /**
   * It sends no tool without a description.
   */
  needs_description?: boolean;
  /**
   * It sends no tool with a schema that has no single type.
   */
  needs_type?: boolean;
  /**
   * It removes empty properties from parameters that have a constraint or a default.
   */
  strips_empty?: boolean;
  /**
   * The keywords that it removes, of tools that every provider takes.
   */
  strips?: string[];
  /**
   * The keywords that it removes from the parameters alone.
   */
  strips_at_root?: string[];
}
/**
 * How many tools of servers a client takes.
 */
export interface MostTools {
  most: number;
  /**
   * What the source says of more.
   */
  says: string;
  source: string;
  day: Day;
}
/**
 * A change that makes a surface take a tool.
 */
export interface Rewrite {
  name: string;
  title: string;
  text?: string;
  /**
   * The worst that it does to the accepted arguments.
   */
  loss: "exact" | "widens" | "closes" | "widens_closes" | "narrows" | "both";
  /**
   * An example: a schema, or a tool.
   */
  before: {
    [k: string]: unknown;
  };
  /**
   * What it becomes.
   */
  after: {
    [k: string]: unknown;
  };
  /**
   * The normalizers that use it.
   */
  targets: string[];
}
/**
 * The rules that were known in a month. A set does not change after its month.
 */
export interface Requirements {
  month: string;
  /**
   * The names of rules by the surface.
   */
  rules: {
    [k: string]: string[];
  };
}
