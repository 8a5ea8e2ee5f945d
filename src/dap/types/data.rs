//! Values: variables, how to present and format them, completions, structured messages.

use std::collections::BTreeMap;

use crate::tolerant::{open_enum, record};

impl Variable {
    /// Whether the value is another request's, which may run code of the program's: a getter.
    pub fn is_lazy(&self) -> bool {
        let hint = self.presentation_hint.as_ref();
        self.variables_reference > 0 && hint.and_then(|h| h.lazy).unwrap_or(false)
    }

    /// What is shown of it in one line.
    pub fn shown(&self) -> &str {
        self.preview.as_deref().unwrap_or(&self.value)
    }

    /// Whether its parts would tell more of what it shows.
    pub fn wants_preview(&self) -> bool {
        self.variables_reference > 0 && self.preview.as_ref().is_some_and(|p| p.contains('…'))
    }
}

record! {
    /// A Variable is a name/value pair.
    Variable {
        /// The variable's name.
        name: String,
        /// The variable's value.
        value: String = "value" by read_value,
        /// The type of the variable's value.
        type_: Option<String>,
        /// Properties of a variable that can be used to determine how to render the variable in the
        /// UI.
        presentation_hint: Option<VariablePresentationHint>,
        /// The evaluatable name of this variable which can be passed to the `evaluate` request to
        /// fetch the variable's value.
        evaluate_name: Option<String>,
        /// If `variablesReference` is > 0, the variable is structured and its children can be
        /// retrieved by passing `variablesReference` to the `variables` request as long as
        /// execution remains suspended.
        variables_reference: i64,
        /// The number of named child variables.
        named_variables: Option<i64>,
        /// The number of indexed child variables.
        indexed_variables: Option<i64>,
        /// A memory reference associated with this variable.
        memory_reference: Option<String>,
        /// A reference that allows the client to request the location where the variable is
        /// declared.
        declaration_location_reference: Option<i64>,
        /// A reference that allows the client to request the location where the variable's value is
        /// declared.
        value_location_reference: Option<i64>,
        /// What it shows in one line where `value` does not say it: made by us and no property of the protocol.
        preview: Option<String>,
    }

    /// Provides formatting information for a value.
    ValueFormat {
        /// Display the value in hex.
        hex: Option<bool>,
    }

    /// `CompletionItems` are the suggestions returned from the `completions` request.
    CompletionItem {
        /// The label of this completion item.
        label: String,
        /// If text is returned and not an empty string, then it is inserted instead of the label.
        text: Option<String>,
        /// A string that should be used when comparing this item with other items.
        sort_text: Option<String>,
        /// A human-readable string with additional information about this item, like type or symbol
        /// information.
        detail: Option<String>,
        /// The item's type.
        type_: Option<CompletionItemType>,
        /// Start position (within the `text` attribute of the `completions` request) where the
        /// completion text is added.
        start: Option<i64>,
        /// Length determines how many characters are overwritten by the completion text and it is
        /// measured in UTF-16 code units.
        length: Option<i64>,
        /// Determines the start of the new selection after the text has been inserted (or
        /// replaced).
        selection_start: Option<i64>,
        /// Determines the length of the new selection after the text has been inserted (or
        /// replaced) and it is measured in UTF-16 code units.
        selection_length: Option<i64>,
    }

    /// A structured message object.
    Message {
        /// Unique (within a debug adapter implementation) identifier for the message.
        id: i64,
        /// A format string for the message.
        format: String,
        /// An object used as a dictionary for looking up the variables in the format string.
        variables: Option<BTreeMap<String, String>>,
        /// If true send to telemetry.
        send_telemetry: Option<bool>,
        /// If true show user.
        show_user: Option<bool>,
        /// A url where additional information about this message can be found.
        url: Option<String>,
        /// A label that is presented to the user as the UI for opening the url.
        url_label: Option<String>,
    }
}

record! {
    /// Properties of a variable that can be used to determine how to render the variable in the UI.
    VariablePresentationHint from text kind {
        /// The kind of variable.
        /// Values: `property`, `method`, `class`, `data`, `event`, `baseClass`, `innerClass`,
        /// `interface`, `mostDerivedClass`, `virtual`, `dataBreakpoint`.
        kind: Option<String>,
        /// Set of attributes represented as an array of strings.
        /// Values: `static`, `constant`, `readOnly`, `rawString`, `hasObjectId`, `canHaveObjectId`,
        /// `hasSideEffects`, `hasDataBreakpoint`.
        attributes: Option<Vec<String>>,
        /// Visibility of variable.
        /// Values: `public`, `private`, `protected`, `internal`, `final`.
        visibility: Option<String>,
        /// If true, clients can present the variable with a UI that supports a specific gesture to
        /// trigger its evaluation.
        lazy: Option<bool>,
    }
}

open_enum! {
    /// Some predefined types for the `CompletionItem`.
    CompletionItemType {
        /// `method`.
        Method,
        /// `function`.
        Function,
        /// `constructor`.
        Constructor,
        /// `field`.
        Field,
        /// `variable`.
        Variable,
        /// `class`.
        Class,
        /// `interface`.
        Interface,
        /// `module`.
        Module,
        /// `property`.
        Property,
        /// `unit`.
        Unit,
        /// `value`.
        Value,
        /// `enum`.
        Enum,
        /// `keyword`.
        Keyword,
        /// `snippet`.
        Snippet,
        /// `text`.
        Text,
        /// `color`.
        Color,
        /// `file`.
        File,
        /// `reference`.
        Reference,
        /// `customcolor`.
        CustomColor = "customcolor",
    }
}
